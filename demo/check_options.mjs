// Run by scripts/demo.sh before it builds anything: prints the help if that is asked for, refuses wrong options.
import { HELP, UsageError, parse } from './options.mjs'

try {
  if (parse(process.argv.slice(2), process.env).mode === 'help') console.log(HELP)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`error: ${error.message}\nscripts/demo.sh --help tells more.`)
  process.exitCode = 2
}
