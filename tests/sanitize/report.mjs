// What AddressSanitizer has written for scripts/sanitize.sh: report.mjs FOLDER LIBRARY. Fails on every memory error, and on
// what this module has allocated itself, or through a function of Node-API, and nobody can reach at the end of a process.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const [folder, library] = process.argv.slice(2)

// The innermost functions of leaks that are not ours to mend: small, and at the end of an environment only.
const KNOWN = [
  [/__ctor_private/, "Node's copy of what a library registers: one for the process"],
  [/napi_register_module_v1::\{closure/, 'napi-ohos refers to each class for ever: once for an environment'],
  [/js::Scope>::promise\b/, 'a promise that is never settled: an environment that goes down settles none, and Node-API frees none otherwise'],
]

/** Module and offset of each frame, without those of the allocator itself. */
function framesOf(block) {
  const frames = Array.from(block.matchAll(/^ +#\d+ 0x[0-9a-f]+ +\((.+)\+(0x[0-9a-f]+)\)/gm), ([, module, offset]) => ({ module, offset }))
  const first = frames.findIndex(({ module }) => !/\/(runtime\.so|libstdc\+\+[^/]*)$/.test(module))
  return first < 0 ? [] : frames.slice(first)
}

/** Functions and lines of the module's own frames, the innermost first, inlined ones too. */
function named(frames) {
  const ours = frames.filter(({ module }) => module === library)
  if (ours.length === 0) return []
  // an address to return to is one behind the call
  const calls = ours.map(({ offset }) => '0x' + (BigInt(offset) - 1n).toString(16))
  const lines = execFileSync('addr2line', ['-f', '-i', '-p', '-C', '-a', '-e', library, ...calls], { encoding: 'utf8', maxBuffer: 1e8 })
  return lines.split(/^0x[0-9a-f]+: /m).slice(1).map((frame) => frame.trim().split(/\n \(inlined by\) /))
}

const counts = { processes: 0, errors: 0, leaks: 0, known: 0, foreign: 0 }
const known = new Map()

function tell(title, frames) {
  console.log(title)
  for (const [index, functions] of named(frames).entries()) for (const line of functions) console.log(`    #${index} ${line}`)
}

function leak(title, block, seen) {
  const frames = framesOf(block)
  if (frames[0]?.module !== library) return void counts.foreign++
  const id = frames.filter(({ module }) => module === library).map(({ offset }) => offset).join()
  let found = known.get(id)
  if (!found) {
    const innermost = named(frames.slice(0, 1))[0].map((line) => line.replace(/ at \S+$/, ''))
    found = { reason: KNOWN.find(([pattern]) => innermost.some((name) => pattern.test(name))) }
    known.set(id, found)
  }
  if (found.reason) return void counts.known++
  counts.leaks++
  if (seen.has(id)) return
  seen.add(id)
  tell(title, frames)
}

const seen = new Set()
for (const file of readdirSync(folder).filter((name) => name.startsWith('report.'))) {
  const text = readFileSync(join(folder, file), 'utf8')
  const ended = existsSync(join(folder, file.replace('report', 'ended')))
  counts.processes++
  for (const block of text.split(/\n\n+/)) {
    const title = block.match(/^(Direct|Indirect) leak of .*$/m)
    if (title) {
      if (!ended) leak(`${file}: ${title[0]}`, block, seen)
    } else if (/ERROR: (?!LeakSanitizer: detected memory leaks)/.test(block)) {
      counts.errors++
      console.log(`${file}: ${text.match(/ERROR: .*/g).find((line) => !line.includes('detected memory leaks'))}`)
      tell('', framesOf(text))
    }
  }
}
console.log(`${counts.errors} errors and ${counts.leaks} leaks of this module in ${counts.processes} reports; passed over: ${counts.known} leaks that are known, ${counts.foreign} of Node's own`)
process.exitCode = counts.errors + counts.leaks > 0 ? 1 : 0
