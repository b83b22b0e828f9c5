// Run by scripts/demo.sh once the module is built.
import { ask } from './endpoint.mjs'
import { parse } from './options.mjs'
import { play } from './play.mjs'
import { wantsColour } from './timeline.mjs'

const LONGEST_PLAY_MS = 60_000

const output = {
  line: (text) => process.stdout.write(text + '\n'),
  complaint: (text) => process.stderr.write(text + '\n'),
  colour: wantsColour(process.stdout, process.env),
}

async function runScenarios(lib, options) {
  const late = new Error(`the scenarios did not end within ${LONGEST_PLAY_MS} ms`)
  const watchdog = setTimeout(() => fail(late), LONGEST_PLAY_MS)
  try {
    return await play(lib, options, output)
  } finally {
    clearTimeout(watchdog)
  }
}

async function runEndpoint(lib, options) {
  const hold = setInterval(() => {}, 60_000) // the module's own timers do not keep a process alive
  const token = new lib.CancelToken()
  // The first Ctrl-C cancels the call, a second one ends the process.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => token.cancel())
  try {
    return await ask(lib, options, output, token)
  } finally {
    clearInterval(hold)
  }
}

function fail(error) {
  output.complaint(`${error.stack}\nFAILED: ${error.message}`)
  process.exit(1)
}

process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1)) // demo.sh | head
try {
  const options = parse(process.argv.slice(2), process.env)
  const { default: lib } = await import('../tests/node/support/module.mjs')
  process.exitCode = await (options.mode === 'scenarios' ? runScenarios : runEndpoint)(lib, options)
} catch (error) {
  fail(error)
}
