// What the long runs measure.
import { readdirSync, readFileSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'

/** Names of the threads of this process. */
export const threads = () => readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim())

/** Megabytes resident and on the heap, and kilobytes of handles to JavaScript values, once all garbage is gone. */
export async function used() {
  for (let i = 0; i < 4; i++) {
    globalThis.gc()
    await new Promise(setImmediate) // finalizers of native objects need turns of the event loop
  }
  const { rss, heapUsed } = process.memoryUsage()
  return { rss: rss / 1e6, heap: heapUsed / 1e6, handles: getHeapStatistics().used_global_handles_size / 1e3 }
}

/** "rss/heap/handles" of each sample. */
export const figures = (samples) => samples.map(({ rss, heap, handles }) => [rss, heap, handles].map((figure) => figure.toFixed(1)).join('/')).join(' ')

/** What must hold, each told as it is looked at. */
export class Checks {
  #results = []

  check(what, holds, found) {
    this.#results.push(Boolean(holds))
    console.log(`${holds ? 'ok    ' : 'FAILED'} ${what}${found === undefined ? '' : `: ${found}`}`)
  }

  /** Sets the exit code. Nothing of the module keeps a process alive: what does so for 3 s is a failure. */
  finish() {
    setTimeout(() => {
      console.log(`FAILED the process ends by itself: ${process.getActiveResourcesInfo().join()}`)
      process.exit(1)
    }, 3000).unref()
    const failed = this.#results.filter((holds) => !holds).length
    console.log(`${this.#results.length - failed} passed, ${failed} failed`)
    process.exitCode = failed === 0 ? 0 : 1
  }
}
