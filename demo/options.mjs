// The command line of scripts/demo.sh.
import { parseArgs } from 'node:util'

export const HELP = `Plays the two scenarios of the demo page on this machine, through the real Node-API module:
  scripts/demo.sh [--json]

Asks a real OpenAI-compatible service (Ollama, vLLM, DeepSeek, …) through the same module:
  scripts/demo.sh --endpoint URL --model NAME [options] "question"

Options:
  --endpoint URL    http or https; /chat/completions is appended unless it is there
  --model NAME      the model's name, as the service calls it
  --key-env VAR     the environment variable that holds the key (its name, never the key itself)
  --retries N       retries after the first attempt, 0 to 100; default 2
  --timeout-ms N    longest time for one attempt in milliseconds, 1 to 3600000; default 60000
  --json            prints the outcome records as JSON, and nothing else, on stdout
  --help            prints this

Ctrl-C cancels the call. RESILIENCE_LOG=debug shows the module's own log on stderr.

Exit code: 0 all claims hold, or the model answered; 1 a claim does not hold; 2 wrong options;
3 the fallback or an error was shown; 130 cancelled.

Example, with Ollama on this machine:
  scripts/demo.sh --endpoint http://localhost:11434/v1 --model qwen2.5:0.5b "What is a circuit breaker?"`

/** A mistake in the command line. */
export class UsageError extends Error {}

const OPTIONS = {
  endpoint: { type: 'string' },
  model: { type: 'string' },
  'key-env': { type: 'string' },
  retries: { type: 'string' },
  'timeout-ms': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
}

/** What the command line asks for: `mode` is 'help', 'scenarios' or 'endpoint'. */
export function parse(argv, env) {
  const { values, positionals } = read(argv)
  if (values.help) return { mode: 'help' }
  const json = values.json === true
  if (values.endpoint === undefined) {
    refuseWithoutEndpoint(values, positionals)
    return { mode: 'scenarios', json }
  }
  if (!values.model) throw new UsageError('--endpoint needs --model NAME, the model to ask')
  return {
    mode: 'endpoint',
    json,
    url: chatUrl(values.endpoint),
    model: values.model,
    key: keyFrom(values['key-env'], env),
    retries: integer('--retries', values.retries ?? '2', 0, 100),
    timeoutMs: integer('--timeout-ms', values['timeout-ms'] ?? '60000', 1, 3_600_000),
    question: question(positionals),
  }
}

function read(argv) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true })
  } catch (error) {
    if (error.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') throw new UsageError(error.message)
    const [name] = error.message.match(/'[^']*'/) ?? ['']
    const allowed = Object.keys(OPTIONS).map((option) => `--${option}`)
    throw new UsageError(`unknown option ${name}; allowed: ${allowed.join(', ')}`)
  }
}

function refuseWithoutEndpoint(values, positionals) {
  const [option] = Object.keys(values).filter((name) => name !== 'json')
  if (option) throw new UsageError(`--${option} only goes with --endpoint URL`)
  if (positionals.length > 0) throw new UsageError('a question only goes with --endpoint URL --model NAME')
}

function question(positionals) {
  if (positionals.length > 1) throw new UsageError(`one question in quotes is wanted, got ${positionals.length} words`)
  if (!positionals[0]?.trim()) throw new UsageError('the question is missing: put it in quotes at the end')
  return positionals[0]
}

function integer(option, text, least, most) {
  const number = /^\d+$/.test(text) ? Number(text) : NaN
  if (number >= least && number <= most) return number
  throw new UsageError(`${option}: got '${text}', allowed: a whole number from ${least} to ${most}`)
}

/** The URL that is asked. What may be a secret (user:password@) is not repeated. */
function chatUrl(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!['http:', 'https:'].includes(url?.protocol)) {
    throw new UsageError('--endpoint: allowed is a URL that begins with http:// or https://')
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
    throw new UsageError('--key-env takes the name of an environment variable, such as DEEPSEEK_API_KEY, not the key')
  }
  const key = env[name]?.trim()
  if (!key) throw new UsageError('the environment variable that --key-env names is not set or empty')
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError('the key in the variable that --key-env names has spaces or other characters no key has')
  }
  return key
}
