/**
 * Your own hooks: plain functions. The run waits for a blocking hook, and an error that it throws
 * refuses the operation; an observing hook can neither delay nor break a run. The agent here is a
 * script: it asks for a shell, is refused, and works without it.
 */

import { commandCheck, createPlainCommands, type Hook, plainLoop } from 'loopwright'
import { createAgents, scriptedAgent } from 'loopwright/agents'
import { builtInTools, createTools } from 'loopwright/tools'
import type { Example } from './example.ts'

export const noShell: Hook = {
  name: 'no-shell',
  points: ['before-tool'],
  blocking: true,
  run({ step }) {
    if (step === 'run') throw new Error('There is no shell in this loop. Use write or edit.')
  },
}

/** Counts what happens; `count` could also send it somewhere. */
export const observer = (count: (what: string) => void): Hook => ({
  name: 'observer',
  points: ['after-tool', 'after-iteration', 'after-run'],
  run: ({ point, step }) => count(step === undefined ? point : `${point} ${step}`),
})

const maker = scriptedAgent([
  [
    { call: 'run', args: { command: 'echo hello > hello.txt' } },
    { call: 'write', args: { path: 'hello.txt', content: 'hello\n' } },
    { say: 'hello.txt says hello.' },
  ],
])

export const ownHookExample: Example = {
  loop: plainLoop({ name: 'own-hook', prompt: 'Write hello into hello.txt.' }),
  input: {},
  limits: { iterations: 3 },
  files: { 'README.md': 'Nothing is here yet.\n' },
  parts: () => ({
    agents: createAgents({ maker }),
    tools: createTools({ tools: builtInTools({ commands: createPlainCommands() }) }),
    checks: { hello: commandCheck('grep', ['-qx', 'hello', 'hello.txt']) },
    hooks: [noShell, observer(() => undefined)],
  }),
}
