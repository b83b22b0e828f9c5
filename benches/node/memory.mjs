// Memory of one call in flight, in a process of its own: node --expose-gc memory.mjs WHO. Prints bytes.
import { service, succeeding, texts } from './cases.mjs'

const CALLS = 10_000
const who = process.argv[2]
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function settled() {
  for (let i = 0; i < 3; i++) {
    globalThis.gc()
    await wait(10)
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, heap: heapUsed + external }
}

let open
const gate = new Promise((resolve) => { open = resolve })
const warmUp = succeeding(service(texts['20 B']))[who]
for (let i = 0; i < 1_000; i++) await warmUp()
const call = succeeding(service(texts['20 B'], gate))[who]

const before = await settled()
const pending = Array.from({ length: CALLS }, call)
const during = await settled()
open()
await Promise.all(pending)
console.log(JSON.stringify({ rss: (during.rss - before.rss) / CALLS, heap: (during.heap - before.heap) / CALLS }))
process.exit(0)
