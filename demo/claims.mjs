/** Claims about what was seen. */
export class Claims {
  list = []
  #timeline

  constructor(timeline) {
    this.#timeline = timeline
  }

  /** `text` says what must be so; `seen` is added to it. */
  check(text, holds, seen) {
    const claim = { claim: text, ok: holds === true, seen: String(seen) }
    this.list.push(claim)
    this.#timeline.claim(`${text}: ${claim.seen}`, claim.ok)
  }

  /** The same, for a value that must be exactly `wanted`. */
  equal(text, got, wanted) {
    this.check(text, Object.is(got, wanted), Object.is(got, wanted) ? got : `${got}, not ${wanted}`)
  }

  /** Whether there are some, and all of them hold. */
  get allHold() {
    return this.list.length > 0 && this.list.every((claim) => claim.ok)
  }
}
