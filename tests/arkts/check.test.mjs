// The check finds nothing in the demo, and in a project full of faults each of them.
import assert from 'node:assert'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { arkts, project } from './folders.mjs'
import { filesBelow } from './language.mjs'

const planted = path.join(arkts, 'planted')
const check = (root) => spawnSync(process.execPath, [path.join(arkts, 'check/main.mjs'), root], { encoding: 'utf8' })

// { file, line, text }: after `// fault:` where they stand, those of JSON in faults.txt. The line counts in ArkTS only.
function expected() {
  const marked = [...filesBelow(planted, '.ets'), ...filesBelow(planted, '.json5')].flatMap((file) =>
    fs.readFileSync(file, 'utf8').split('\n').flatMap((text, index) =>
      text.split('// fault: ').slice(1).map((fault) => ({
        file: path.relative(planted, file),
        line: file.endsWith('.ets') ? index + 1 : 1,
        text: fault.trim(),
      })),
    ),
  )
  const listed = fs.readFileSync(path.join(planted, 'faults.txt'), 'utf8').trim().split('\n').map((entry) => {
    const [file, text] = entry.split(/: (.*)/s)
    return { file, line: 1, text }
  })
  return [...marked, ...listed]
}

test('the demo has no fault', () => {
  const { stdout, stderr, status } = check(project)
  assert.match(stdout, /^\d+ files, 0 faults\n$/, stdout + stderr)
  assert.equal(status, 0)
})

test('each planted fault is found, and nothing else', () => {
  const { stdout, status } = check(planted)
  assert.equal(status, 1)
  const found = stdout.trim().split('\n')
  assert.match(found.pop(), /^\d+ files, \d+ faults$/)
  const missing = expected().filter(({ file, line, text }) => {
    const index = found.findIndex((fault) => fault.startsWith(`${file}:${line}: `) && fault.includes(text))
    if (index >= 0) found.splice(index, 1)
    return index < 0
  })
  assert.deepEqual({ missing, unexpected: found }, { missing: [], unexpected: [] })
})

test('an empty project does not pass', () => {
  const { status } = check(path.join(planted, 'entry/src/ohosTest'))
  assert.equal(status, 1)
})
