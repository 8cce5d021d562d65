/**
 * Hooks of your own: plain functions that are told. A blocking one is waited for, and what it throws
 * refuses what it came before; an observing one can neither delay nor hurt a run. The agent here is a
 * script: it wants a shell, is told no, and does without.
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

/** Counts what happens; `count` could as well send it somewhere. */
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
