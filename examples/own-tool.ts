/**
 * Your own tool. The schema validates its arguments before it runs, and a failure is an
 * answer: the agent reads it and can correct its call. The agent here is a script that does.
 */

import { commandCheck, createPlainCommands, plainLoop } from 'loopwright'
import { createAgents, scriptedAgent } from 'loopwright/agents'
import { builtInTools, createTools, defineTool, ToolError } from 'loopwright/tools'
import { z } from 'zod'
import type { Example } from './example.ts'

const meanings = new Map([
  ['loop', 'a type plus its settings, in a file'],
  ['run', 'one execution of a loop'],
])

export const define = defineTool({
  name: 'define',
  description: 'Says what a word of this project means.',
  parameters: z.object({ word: z.string().min(1).max(50) }),
  risk: 'read-only',
  timeoutMs: 5000,
  run({ word }) {
    const meaning = meanings.get(word.toLowerCase())
    if (meaning !== undefined) return meaning
    const known = [...meanings.keys()].join(', ')
    throw new ToolError('not-found', `"${word}" has no entry. Ask for one of: ${known}.`)
  },
})

const maker = scriptedAgent([
  [{ call: 'define', args: { word: 'trip' } }, { say: 'There is no such word, so I am done.' }],
  [
    { call: 'define', args: { word: 'run' } },
    { call: 'write', args: { path: 'words.md', content: 'Run: one execution of a loop.\n' } },
    { say: 'Now the word is explained.' },
  ],
])

export const ownToolExample: Example = {
  loop: plainLoop({ name: 'own-tool', prompt: 'Explain a word.\n{{ agent_report }}' }),
  input: {},
  limits: { iterations: 5 },
  files: { 'README.md': 'Loopwright runs loops.\n' },
  parts: () => ({
    agents: createAgents({ maker }),
    tools: createTools({
      tools: [define, ...builtInTools({ commands: createPlainCommands() })],
    }),
    checks: { explained: commandCheck('grep', ['-q', 'one execution', 'words.md']) },
  }),
}
