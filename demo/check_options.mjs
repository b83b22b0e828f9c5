// Run by scripts/demo.sh before it builds anything: prints the help if that is asked for and "port N" for the pages, refuses
// wrong options.
import { HELP, UsageError, parse } from './options.mjs'

try {
  const { mode, port } = parse(process.argv.slice(2), process.env)
  if (mode === 'help') console.log(HELP)
  if (mode === 'page') console.log(`port ${port}`)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`error: ${error.message}\nscripts/demo.sh --help tells more.`)
  process.exitCode = 2
}
