// `node drive-repair.mjs <folder>`: starts a run of the repair agent on <folder>/project in the
// available sandbox, or resumes the existing one. Prints the agent's notes.

import { join } from 'node:path'
import { createAgents, repairAgent } from '../../dist/agents/public.js'
import { commandCheck, openHost, plainLoop } from '../../dist/host/index.js'
import { openSandbox } from '../../dist/sandbox/index.js'

const folder = process.argv[2] ?? ''
const workspace = join(folder, 'project')
const sandbox = await openSandbox()
const commands = sandbox.commands({ workspace })
const loop = plainLoop({ prompt: 'Make the checks pass.\n{{ progress }}', version: '1' })
const parts = {
  agents: createAgents({
    maker: repairAgent({ checks: [['node', '--test']], commands, timeMs: 120_000 }),
  }),
  checks: {
    test: commandCheck('node', ['--test'], {
      commands: (at) => sandbox.commands({ workspace: at }),
    }),
  },
}
const host = await openHost({ folder: join(folder, 'state') })
const [open] = await host.list()
const run =
  open === undefined
    ? await host.start(loop, { input: {}, workspace, ...parts })
    : await host.resume(open.id, loop, parts)
for await (const { event } of run.events()) {
  if (event.type === 'step-noted') process.stdout.write(`${event.note.text}\n`)
}
const end = await run.done
process.stdout.write(`${end.type === 'ended' ? end.outcome.type : end.type}\n`)
await host.close()
