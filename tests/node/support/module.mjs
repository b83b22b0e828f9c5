// The one place through which every suite takes the module:
//   import lib from './support/module.mjs'
// On Node: RESILIENCE_LIB names libresilience.so and RESILIENCE_HOST its loader (default: both in target/host).
// On Ark's command line: the engine's own import of a native module.

function loadOnNode(process) {
  const file = (name) => decodeURIComponent(new URL('../../../target/host/' + name, import.meta.url).pathname)
  const host = { exports: {} }
  process.dlopen(host, process.env.RESILIENCE_HOST || file('ark_host.node'))
  refuseThreads = host.exports.refuseThreads
  return host.exports.load(process.env.RESILIENCE_LIB || file('libresilience.so'))
}

// on Node: refuseThreads(true) and the system has no thread left for the module, until refuseThreads(false)
export let refuseThreads

const onNode = typeof process === 'object' && typeof process.dlopen === 'function'

// which build is under test: 'host', 'x86_64', 'arm64', 'asan' or 'ark'
export const platform = onNode ? process.env.RESILIENCE_PLATFORM || 'host' : 'ark'

export default onNode ? loadOnNode(process) : requireNapiPreview('resilience', true)
