// What loading costs, in a process of its own: load.mjs SPECIFIER. Prints milliseconds and, for this module, its threads.
import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'

const specifier = process.argv[2]

/** Names of all threads, sorted; empty where there is no /proc. */
function threads() {
  try {
    return readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim()).sort()
  } catch {
    return []
  }
}

await Promise.all(Array.from({ length: 8 }, () => stat('.'))) // Node's own pool starts its threads now
const before = threads()
const began = process.hrtime.bigint()
const { default: lib } = await import(specifier)
const result = { ms: Number(process.hrtime.bigint() - began) / 1e6 }
if (lib?.ResilientLlmClient) {
  const added = () => threads().length - before.length
  result.threads = { 'module loaded': added() }
  const client = new lib.ResilientLlmClient({ chat: async () => ({ text: 'hello' }) })
  result.threads['client made'] = added()
  await client.chat({})
  result.threads['first call, first timer'] = added()
  await Promise.all(Array.from({ length: 1_000 }, () => client.chat({})))
  result.threads['1000 calls at once'] = added()
}
console.log(JSON.stringify(result))
process.exit(0)
