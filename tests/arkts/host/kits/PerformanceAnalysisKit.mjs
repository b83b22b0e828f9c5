// Lines as `hdc hilog` shows them, on stderr: what is not marked public is hidden.
const MAX_TAG_BYTES = 31

function write(level, domain, tag, format, args) {
  if (domain < 0 || domain > 0xffff || Buffer.byteLength(tag) > MAX_TAG_BYTES) return // nothing is written on the phone either
  let next = 0
  const text = format.replace(/%(\{public\}|\{private\})?([dsofi%])/g, (whole, privacy, kind) => {
    if (kind === '%') return '%'
    const value = args[next++]
    return privacy === '{public}' ? String(value) : '<private>'
  })
  if (process.env.HILOG !== 'off') process.stderr.write(`${level} A0${domain.toString(16).padStart(4, '0')}/${tag}: ${text}\n`)
}

const at = (level) => (domain, tag, format, ...args) => write(level, domain, tag, format, args)
export const hilog = { debug: at('D'), info: at('I'), warn: at('W'), error: at('E'), fatal: at('F') }
