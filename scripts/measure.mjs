// `npm run bench` and `npm run proof`: makes the checkout ready and runs the named program with the
// arguments given. Only that program writes to standard output, so `--json` can be piped
// (with `npm run --silent`, since npm announces the script on standard output otherwise).

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root, runInOurPlace, runScript, ScriptError } from './child.mjs'
import { meetSystemNeeds } from './needs.mjs'
import { setUp } from './setup.mjs'
import { runInTemporaryFolders } from './temporary-folders.mjs'

const kinds = ['bench', 'proof']

await runScript(() => {
  const [kind, ...args] = process.argv.slice(2)
  if (!kinds.includes(kind)) {
    throw new ScriptError('Run: npm run bench, or: npm run proof')
  }
  meetSystemNeeds()
  setUp()
  const program = join(root, 'build', kind, 'main.js')
  if (!existsSync(program)) {
    throw new ScriptError(`${kind}/main.ts was not built. Run: npm run build -- --force`)
  }
  const run = kind === 'proof' ? runInTemporaryFolders : runInOurPlace
  return run([program, ...args])
})
