// Chance with a seed: numbers in [0, 1), the same for the same seed (a counter through a mixing function).
export function chance(seed) {
  let state = BigInt(seed) << 17n
  const MASK = (1n << 64n) - 1n
  return () => {
    state = (state + 0x9e3779b97f4a7c15n) & MASK
    let mixed = state
    mixed = ((mixed ^ (mixed >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & MASK
    return Number((mixed ^ (mixed >> 31n)) >> 11n) / 2 ** 53
  }
}
