// `npm start`: makes the checkout ready and runs the example loop.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root, runInOurPlace, runScript, ScriptError } from './child.mjs'
import { setUp } from './setup.mjs'

const program = join(root, 'build', 'examples', 'start.js')

await runScript(() => {
  setUp()
  if (!existsSync(program)) {
    throw new ScriptError('examples/start.ts was not built. Run: npm run build -- --force')
  }
  return runInOurPlace([program, ...process.argv.slice(2)])
})
