/**
 * Your own check: a function that examines the files and returns a result. An error is
 * never a pass. The agent here is a script: it writes what the check missed.
 */

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Check, createPlainCommands, plainLoop } from 'loopwright'
import { createAgents, scriptedAgent } from 'loopwright/agents'
import { builtInTools, createTools } from 'loopwright/tools'
import type { Example } from './example.ts'

/** Every link of README.md leads to a file. */
export const linksLead: Check = async ({ workspace = '.' }) => {
  const text = await readFile(join(workspace, 'README.md'), 'utf8')
  const links = [...text.matchAll(/\]\(([\w./-]+)\)/g)].map(([, target = '']) => target)
  const dead = links.filter((target) => !existsSync(join(workspace, target)))
  if (dead.length === 0) return { status: 'met', output: `${links.length} links lead to files` }
  return { status: 'not-met', output: dead.map((target) => `no file: ${target}`).join('\n') }
}

const write = (path: string): { call: string; args: { path: string; content: string } } => ({
  call: 'write',
  args: { path, content: `# ${path}\n` },
})

const maker = scriptedAgent([
  [write('guide.md'), { say: 'Every link works.' }],
  [write('faq.md'), { say: 'Now every link works.' }],
])

export const ownCheckExample: Example = {
  loop: plainLoop({
    name: 'own-check',
    prompt: 'Repair the links.{% for check in checks %}\n{{ check.output }}{% endfor %}',
  }),
  input: {},
  limits: { iterations: 5 },
  files: { 'README.md': 'Read the [guide](guide.md) and the [answers](faq.md).\n' },
  parts: () => ({
    agents: createAgents({ maker }),
    tools: createTools({ tools: builtInTools({ commands: createPlainCommands() }) }),
    checks: { links: linksLead },
  }),
}
