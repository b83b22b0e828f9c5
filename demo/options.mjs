// The command line of scripts/demo.sh.
import { parseArgs } from 'node:util'

/** The most that --retries takes. */
export const MOST_RETRIES = 100
const LONGEST_TIMEOUT_MS = 3_600_000
const DEFAULT_PORT = 8000
const LAST_PORT = 65535
const MOST_CALLS = 200

export const HELP = `Plays the two scenarios of the demo page on this machine, through the real Node-API module:
  scripts/demo.sh [--json]

Compares the layers from a bare call to the whole agent, on a service that fails by chance:
  scripts/demo.sh --scenario layers [--failure-rate 0.8] [--calls 20] [--seed 1] [--json]

Asks a real OpenAI-compatible service (Ollama, vLLM, DeepSeek, …) through the same module:
  scripts/demo.sh --endpoint URL --model NAME [options] "question"

Shows the demo app's own pages in a browser: its ArkTS and the real module, run by Node. Behaviour is real, layout approximate:
  scripts/demo.sh --page [--port N]

Options:
  --port N          where the pages are served on 127.0.0.1, 0 to 65535 (0: any free port); default ${DEFAULT_PORT}
  --scenario NAME   page (default) or layers
  --failure-rate X  of layers: share of calls that fail, 0 to 1; default 0.8
  --calls N         of layers: calls at once, 1 to ${MOST_CALLS}; default 20
  --seed N          of layers: the chance that is taken, 0 to 2^53 − 1; default 1
  --endpoint URL    http or https; /chat/completions is appended unless it is there
  --model NAME      the model's name, as the service calls it
  --key-env VAR     the environment variable that holds the key (its name, never the key itself)
  --retries N       retries after the first attempt, 0 to ${MOST_RETRIES}; default 2
  --timeout-ms N    longest time for one attempt in milliseconds, 1 to ${LONGEST_TIMEOUT_MS}; default 60000
  --json            prints the outcome records as JSON, and nothing else, on stdout
  --help            prints this

Ctrl-C cancels the call. RESILIENCE_LOG=debug shows the module's own log on stderr.

Exit code: 0 all claims hold, or the model answered; 1 a claim does not hold; 2 wrong options;
3 the fallback or an error was shown; 130 cancelled.

Example, with Ollama on this machine:
  scripts/demo.sh --endpoint http://127.0.0.1:11434/v1 --model qwen2.5:0.5b "What is a circuit breaker?"`

/** A mistake in the command line. */
export class UsageError extends Error {}

const OPTIONS = {
  page: { type: 'boolean' },
  port: { type: 'string' },
  scenario: { type: 'string' },
  'failure-rate': { type: 'string' },
  calls: { type: 'string' },
  seed: { type: 'string' },
  endpoint: { type: 'string' },
  model: { type: 'string' },
  'key-env': { type: 'string' },
  retries: { type: 'string' },
  'timeout-ms': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
}

/** What an option takes, where it takes something. */
const ALLOWED = {
  port: `a whole number from 0 to ${LAST_PORT}`,
  scenario: 'page or layers',
  'failure-rate': 'a number from 0 to 1',
  calls: `a whole number from 1 to ${MOST_CALLS}`,
  seed: `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
  endpoint: 'a URL that begins with http:// or https://',
  model: "a model's name",
  'key-env': 'the name of an environment variable, such as DEEPSEEK_API_KEY, not the key',
  retries: `a whole number from 0 to ${MOST_RETRIES}`,
  'timeout-ms': `a whole number from 1 to ${LONGEST_TIMEOUT_MS}`,
}

/** What the command line asks for: `mode` is 'help', 'scenarios', 'page' or 'endpoint'. */
export function parse(argv, env) {
  const { values, positionals } = read(argv)
  if (values.help) return { mode: 'help' }
  if (values.page) return page(values, positionals)
  if (values.port !== undefined) throw new UsageError('--port only goes with --page')
  const json = values.json === true
  if (values.endpoint === undefined) {
    refuseWithoutEndpoint(values, positionals)
    return { mode: 'scenarios', json, ...scenario(values) }
  }
  refuse(values, PLAYED, 'scenarios, not with --endpoint')
  if (!values.model) throw new UsageError('--endpoint needs --model NAME, the model to ask')
  return {
    mode: 'endpoint',
    json,
    url: chatUrl(values.endpoint),
    model: values.model,
    key: keyFrom(values['key-env'], env),
    retries: integer('retries', values.retries ?? '2', 0, MOST_RETRIES),
    timeoutMs: integer('timeout-ms', values['timeout-ms'] ?? '60000', 1, LONGEST_TIMEOUT_MS),
    question: question(positionals),
  }
}

function read(argv) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    if (error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const [name] = error.message.match(/'[^']*'/) ?? ['']
      const known = Object.keys(OPTIONS).map((option) => `--${option}`)
      throw new UsageError(`unknown option ${name}; allowed: ${known.join(', ')}`)
    }
    // No value, or one that begins with "-": Node's words for it say nothing of what is allowed.
    const [, option] = error.message.match(/^Option '--([a-z-]+)/) ?? []
    throw new UsageError(ALLOWED[option] ? `--${option} needs a value: ${ALLOWED[option]}` : error.message)
  }
}

function page({ page: _, port, ...others }, positionals) {
  const [option] = Object.keys(others)
  if (option) throw new UsageError(`--${option} does not go with --page`)
  if (positionals.length > 0) throw new UsageError('a question does not go with --page')
  return { mode: 'page', port: integer('port', port ?? String(DEFAULT_PORT), 0, LAST_PORT) }
}

/** Options of the scenarios, and of layers alone. */
const OF_LAYERS = ['failure-rate', 'calls', 'seed']
const PLAYED = ['scenario', ...OF_LAYERS]

function scenario(values) {
  const name = values.scenario ?? 'page'
  if (!['page', 'layers'].includes(name)) throw new UsageError(`--scenario: got '${name}', allowed: ${ALLOWED.scenario}`)
  if (name !== 'layers') refuse(values, OF_LAYERS, '--scenario layers')
  const layers = {
    failureRate: share('failure-rate', values['failure-rate'] ?? '0.8'),
    calls: integer('calls', values.calls ?? '20', 1, MOST_CALLS),
    seed: integer('seed', values.seed ?? '1', 0, Number.MAX_SAFE_INTEGER),
  }
  return { scenario: name, layers }
}

function refuseWithoutEndpoint(values, positionals) {
  const others = Object.keys(values).filter((name) => name !== 'json' && !PLAYED.includes(name))
  refuse(values, others, '--endpoint URL')
  if (positionals.length > 0) throw new UsageError('a question only goes with --endpoint URL --model NAME')
}

/** Refuses options that were given although they go with `what` only. */
function refuse(values, options, what) {
  const [option] = options.filter((name) => values[name] !== undefined)
  if (option) throw new UsageError(`--${option} only goes with ${what}`)
}

function share(option, text) {
  const number = /^\d*\.?\d+$/.test(text) ? Number(text) : NaN
  if (number >= 0 && number <= 1) return number
  throw new UsageError(`--${option}: got '${text}', allowed: ${ALLOWED[option]}`)
}

function question(positionals) {
  if (positionals.length > 1) throw new UsageError(`one question in quotes is wanted, got ${positionals.length} words`)
  if (!positionals[0]?.trim()) throw new UsageError('the question is missing: put it in quotes at the end')
  return positionals[0]
}

function integer(option, text, least, most) {
  const number = /^\d+$/.test(text) ? Number(text) : NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`--${option}: got '${text}', allowed: ${ALLOWED[option]}`)
}

/** The URL that is asked. What may be a secret (user:password@) is not repeated. */
function chatUrl(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!['http:', 'https:'].includes(url?.protocol)) {
    throw new UsageError(`--endpoint: allowed: ${ALLOWED.endpoint}`)
  }
  if (url.username || url.password) {
    throw new UsageError('--endpoint: no user and password in the URL, please; name a variable with --key-env')
  }
  url.hash = ''
  if (!url.pathname.endsWith('/chat/completions')) {
    url.pathname = url.pathname.replace(/\/+$/, '') + '/chat/completions'
  }
  return url.href
}

/** The key. Neither it nor what stands in place of the variable's name is ever repeated: it may be the key by mistake. */
function keyFrom(name, env) {
  if (name === undefined) return undefined
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new UsageError(`--key-env: allowed: ${ALLOWED['key-env']}`)
  }
  const key = env[name]?.trim()
  if (!key) throw new UsageError('the environment variable that --key-env names is not set or empty')
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError('the key in the variable that --key-env names has spaces or other characters no key has')
  }
  return key
}
