// The command line of scripts/demo.sh.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from '../../demo/options.mjs'
import { start } from './support.mjs'

const ENDPOINT = ['--endpoint', 'http://localhost:11434/v1', '--model', 'm']

describe('a mistake is named, with what is allowed', () => {
  const cases = [
    [['--jsom'], /unknown option '--jsom'; allowed: --page, --port, --scenario, --failure-rate, --calls, --seed, --endpoint, --model, --key-env, --retries, --timeout-ms, --json, --help/],
    [['-v'], /unknown option '-v'/],
    [['--json=yes'], /'--json' does not take an argument/],
    [['--scenario', 'page2'], /--scenario: got 'page2', allowed: page or layers/],
    [['--scenario'], /^Error: --scenario needs a value: page or layers$/],
    [['--calls', '3'], /--calls only goes with --scenario layers/],
    [['--scenario', 'layers', '--calls', '0'], /--calls: got '0', allowed: a whole number from 1 to 200/],
    [['--scenario', 'layers', '--failure-rate', '80'], /--failure-rate: got '80', allowed: a number from 0 to 1/],
    [['--scenario', 'layers', '--failure-rate', '.'], /--failure-rate: got '.'/],
    [['--scenario', 'layers', '--seed', '-1'], /^Error: --seed needs a value: a whole number from 0/],
    [[...ENDPOINT, '--scenario', 'layers', 'hello?'], /--scenario only goes with scenarios/],
    [['--endpoint'], /^Error: --endpoint needs a value: a URL that begins with http:\/\/ or https:\/\/$/],
    [['--model', '--json'], /^Error: --model needs a value: a model's name$/],
    [['hello'], /a question only goes with --endpoint/],
    [['--model', 'm'], /--model only goes with --endpoint/],
    [['--retries', '3', '--json'], /--retries only goes with --endpoint/],
    [['--endpoint', 'http://localhost'], /--endpoint needs --model/],
    [['--endpoint', '', '--model', 'm', 'hello?'], /http:\/\/ or https:\/\//],
    [['--endpoint', 'localhost:11434', '--model', 'm', 'hello?'], /http:\/\/ or https:\/\//],
    [['--endpoint', 'ftp://localhost', '--model', 'm', 'hello?'], /http:\/\/ or https:\/\//],
    [['--port', '8000'], /--port only goes with --page/],
    [[...ENDPOINT, '--port', '8000', 'hello?'], /--port only goes with --page/],
    [['--page', '--json'], /--json does not go with --page/],
    [['--page', 'hello'], /a question does not go with --page/],
    [['--page', '--port', '65536'], /--port: got '65536', allowed: a whole number from 0 to 65535/],
    [ENDPOINT, /the question is missing/],
    [[...ENDPOINT, ' '], /the question is missing/],
    [[...ENDPOINT, 'hello', 'you'], /one question in quotes is wanted, got 2 words/],
    [[...ENDPOINT, '--retries', 'two', 'hello?'], /--retries: got 'two', allowed: a whole number from 0 to 100/],
    [[...ENDPOINT, '--retries=-1', 'hello?'], /--retries: got '-1'/],
    [[...ENDPOINT, '--retries', '-1', 'hello?'], /^Error: --retries needs a value: a whole number from 0 to 100$/],
    [[...ENDPOINT, 'hello?', '--retries'], /^Error: --retries needs a value: a whole number from 0 to 100$/],
    [[...ENDPOINT, '--retries', '101', 'hello?'], /--retries: got '101'/],
    [[...ENDPOINT, '--retries', '1.5', 'hello?'], /--retries: got '1.5'/],
    [[...ENDPOINT, '--timeout-ms', '0', 'hello?'], /--timeout-ms: got '0', allowed: a whole number from 1 to 3600000/],
    [[...ENDPOINT, '--timeout-ms', '-5', 'hello?'], /^Error: --timeout-ms needs a value: a whole number from 1 to 3600000$/],
    [[...ENDPOINT, '--timeout-ms=-5', 'hello?'], /--timeout-ms: got '-5', allowed: a whole number from 1 to 3600000/],
    [[...ENDPOINT, '--timeout-ms', '3600001', 'hello?'], /--timeout-ms: got '3600001'/],
    [[...ENDPOINT, '--timeout-ms', '1e3', 'hello?'], /--timeout-ms: got '1e3'/],
    [[...ENDPOINT, '--timeout-ms', '', 'hello?'], /--timeout-ms: got ''/],
    [[...ENDPOINT, '--key-env', 'NOT_SET_ANYWHERE', 'hello?'], /that --key-env names is not set/],
  ]
  for (const [args, message] of cases) {
    test(args.join(' '), () => assert.throws(() => parse(args, {}), message))
  }
})

test('a mistake ends scripts/demo.sh with exit code 2, before anything is built', async () => {
  for (const args of [['--jsom'], [...ENDPOINT, '--retries', '101', 'hello?']]) {
    const { code, stdout, stderr } = await start('scripts/demo.sh', args).done
    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.match(stderr, /^error: .+\nscripts\/demo.sh --help tells more\.\n$/)
  }
})

describe('a secret in the wrong place is not repeated', () => {
  const cases = [
    [[...ENDPOINT, '--key-env', 'sk-secret-1', 'hello?'], {}, /the name of an environment variable/],
    [[...ENDPOINT, '--key-env', 'secret', 'hello?'], {}, /is not set/],
    [[...ENDPOINT, '--key-env', '-secret', 'hello?'], {}, /the name of an environment variable/],
    [[...ENDPOINT, '--key-env', 'A_KEY', 'hello?'], { A_KEY: 'secret\nsecret' }, /other characters/],
    [[...ENDPOINT, '--key', 'secret', 'hello?'], {}, /unknown option '--key'/],
    [[...ENDPOINT, '--key=secret', 'hello?'], {}, /unknown option '--key'/],
    [['--endpoint', 'http://me:secret@localhost', '--model', 'm', 'hello?'], {}, /no user and password/],
  ]
  for (const [args, env, message] of cases) {
    test(args.slice(4).join(' '), () => {
      assert.throws(() => parse(args, env), (error) => message.test(error.message) && !/secret/.test(error.message))
    })
  }
})

test('--help tells every option and ends well', async () => {
  for (const args of [['--help'], ['-h'], ['--help', '--endpoint', 'x']]) {
    const { code, stdout, stderr } = await start('scripts/demo.sh', args).done
    assert.equal(code, 0)
    assert.equal(stderr, '')
    for (const option of ['--endpoint', '--model', '--key-env', '--retries', '--timeout-ms', '--json', '--help']) {
      assert.ok(stdout.includes(`  ${option}`), option)
    }
  }
})

test('defaults, and everything given', () => {
  const layers = { failureRate: 0.8, calls: 20, seed: 1 }
  assert.deepEqual(parse([], {}), { mode: 'scenarios', json: false, scenario: 'page', layers })
  const climbing = parse(['--scenario', 'layers', '--failure-rate', '.5', '--calls', '3', '--seed', '0'], {})
  assert.deepEqual(climbing.layers, { failureRate: 0.5, calls: 3, seed: 0 })
  const url = 'http://localhost:11434/v1/chat/completions'
  const asked = { mode: 'endpoint', json: false, url, model: 'm', key: undefined, retries: 2, timeoutMs: 60_000 }
  assert.deepEqual(parse([...ENDPOINT, 'hello?'], {}), { ...asked, question: 'hello?' })
  const all = ['--key-env', 'A_KEY', '--retries', '0', '--timeout-ms=250', '--json', '--', '--why?']
  const given = { ...asked, json: true, key: 'sk-1', retries: 0, timeoutMs: 250, question: '--why?' }
  assert.deepEqual(parse([...ENDPOINT, ...all], { A_KEY: ' sk-1\n' }), given)
})

test('/chat/completions is appended unless it is there', () => {
  const cases = {
    'https://api.deepseek.com': 'https://api.deepseek.com/chat/completions',
    'http://localhost:11434/v1/': 'http://localhost:11434/v1/chat/completions',
    'http://localhost:8000/v1/chat/completions': 'http://localhost:8000/v1/chat/completions',
    'https://x.openai.azure.com/openai/v1?api-version=1#top': 'https://x.openai.azure.com/openai/v1/chat/completions?api-version=1',
    'http://[::1]:8080': 'http://[::1]:8080/chat/completions',
  }
  for (const [given, wanted] of Object.entries(cases)) {
    assert.equal(parse(['--endpoint', given, '--model', 'm', 'hello?'], {}).url, wanted)
  }
})
