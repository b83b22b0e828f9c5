// node run.mjs [FOLDER]: runs the Hypium suites that compile.mjs has put there (default: target/arkts), tells each test, and
// writes what a phone would print to hypium-report.txt beside them. HYPIUM_TIMEOUT_MS: as `-s timeout`.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { target } from '../../folders.mjs'
import { AssertException, current, root } from './core.mjs'
import '../globals.mjs'

const folder = path.resolve(process.argv[2] ?? path.join(target, 'arkts'))
const defaultTimeoutMs = Number(process.env.HYPIUM_TIMEOUT_MS ?? 5000)
const alive = setInterval(() => {}, 1000) // the module's timers keep no process alive

const report = []
const status = (key, value) => report.push(`OHOS_REPORT_STATUS: ${key}=${value}`)
const count = (suite) => suite.specs.length + suite.suites.reduce((sum, inner) => sum + count(inner), 0)
const counts = { pass: 0, failure: 0, error: 0 }
let index = 0
const durations = new Map() // milliseconds by suite

// A function without parameters is awaited; one with a parameter must call it, whatever it returns.
function settle(run, timeoutMs) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`execute timeout ${timeoutMs}ms`)), timeoutMs)
    const end = (settled) => (value) => {
      clearTimeout(timer)
      settled(value)
    }
    const called = Promise.resolve().then(() => (run.length === 0 ? run() : run(end(resolve))))
    called.then(run.length === 0 ? end(resolve) : () => {}, end(reject))
  })
}

async function hooks(suite, when) {
  for (const hook of suite.hooks[when]) {
    try {
      await settle(hook, defaultTimeoutMs)
    } catch (error) {
      error.message += `, error in ${when} function`
      throw error
    }
  }
}

// Hypium looks at the first one only.
async function namedHook(suite, when, { name }) {
  const [names, hook] = suite.named[when][0] ?? [[]]
  if (names.includes(name)) await settle(hook, defaultTimeoutMs)
}

async function runSuite(suite, outerName) {
  const name = outerName ? `${outerName}.${suite.name}` : suite.name
  report.push(`OHOS_REPORT_SUM: ${count(suite)}`)
  status('class', name)
  current.suite = suite
  await hooks(suite, 'beforeAll').catch((error) => (suite.failure = error))
  if (suite.failure) failAll(suite, name)
  else {
    for (const spec of suite.specs) await runSpec(suite, name, spec)
    for (const inner of suite.suites) await runSuite(inner, name)
  }
  current.suite = suite
  await hooks(suite, 'afterAll').catch((error) => {
    counts.error++
    console.log(`not ok ${name} / afterAll\n${indented(error)}`)
  })
  for (const skipped of suite.skipped) console.log(`skipped: ${name} / ${skipped}`)
  status('class', name)
  status('suiteconsuming', durations.get(name) ?? 0)
}

function failAll(suite, name) {
  for (const spec of suite.specs) finish(name, spec, suite.failure, 0)
  for (const inner of suite.suites) {
    inner.failure = suite.failure
    failAll(inner, `${name}.${inner.name}`)
  }
}

async function runSpec(suite, name, spec) {
  const begin = Date.now()
  let error
  current.spec = spec
  try {
    await namedHook(suite, 'before', spec)
    await hooks(suite, 'beforeEach')
    await settle(spec.run, spec.timeoutMs ?? defaultTimeoutMs)
    await namedHook(suite, 'after', spec)
    await hooks(suite, 'afterEach')
  } catch (e) {
    error = e
  }
  current.spec = undefined
  finish(name, spec, error ?? spec.failure, Date.now() - begin)
}

function finish(name, spec, error, tookMs) {
  index++
  durations.set(name, (durations.get(name) ?? 0) + tookMs)
  const head = () => {
    status('class', name)
    status('current', index)
    status('id', 'JS')
    status('numtests', count(root))
  }
  head()
  status('stream', '')
  status('test', spec.name)
  report.push('OHOS_REPORT_STATUS_CODE: 1')
  head()
  const kind = !error ? 'pass' : error instanceof AssertException ? 'failure' : 'error'
  counts[kind]++
  if (error) status('stack', error.stack)
  const message = spec.message ? `message: ${spec.message}, ` : ''
  status('stream', error ? `${message}Error in ${spec.name}, ${error.message ?? error}` : '')
  status('test', spec.name)
  report.push(`OHOS_REPORT_STATUS_CODE: ${{ pass: 0, error: -1, failure: -2 }[kind]}`)
  status('consuming', tookMs)
  console.log(`${error ? 'not ok' : 'ok'} ${name} / ${spec.name}${error ? `\n${indented(error, message)}` : ''}`)
}

const indented = (error, message = '') => `${message}${error?.stack ?? error}`.split('\n').slice(0, 6).map((line) => `    ${line}`).join('\n')

const { default: declare } = await import(pathToFileURL(path.join(folder, 'ohosTest/ets/test/List.test.mjs')).href)
declare()
for (const suite of root.suites) await runSuite(suite, '')
const { pass, failure, error } = counts
report.push(
  `OHOS_REPORT_RESULT: stream=Tests run: ${count(root)}, Failure: ${failure}, Error: ${error}, Pass: ${pass}, Ignore: 0`,
  `OHOS_REPORT_CODE: ${failure > 0 ? -1 : 0}`,
)
status('taskconsuming', [...durations.values()].reduce((sum, each) => sum + each, 0))
report.push('TestFinished-ResultMsg: your test finished!!!')
fs.writeFileSync(path.join(folder, 'hypium-report.txt'), `${report.join('\n')}\n`)
console.log(`${pass} passed, ${failure + error} failed`)
clearInterval(alive)
process.exitCode = failure + error > 0 || pass === 0 ? 1 : 0
