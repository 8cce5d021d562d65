// Drives a code loop from the built package, to be killed: `drive.mjs <state folder> <workspace>
// <loop file>`.

import { openHost } from '../../dist/host/index.js'
import { openCodeLoop, scanCodeLoop } from '../../dist/launch/code-loop/index.js'

const [folder, workspace, file] = process.argv.slice(2)
const loop = await openCodeLoop(await scanCodeLoop(file))
process.stdout.write(`pid ${loop.pid}\n`)
const host = await openHost({ folder })
const run = await host.start(loop.loop, { input: null, name: 'driven', workspace })
for await (const { event } of run.events()) {
  if (event.type === 'step-started') process.stdout.write(`step ${event.iteration} ${event.step}\n`)
}
await loop.close()
await host.close()
