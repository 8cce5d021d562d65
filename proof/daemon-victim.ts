/**
 * The runs that are killed with their daemon. The large one has an agent in the sandbox, a question, a
 * check and a git worktree; the small one has a scripted agent in a plain folder, and is quick.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { previewLoop, trustLoop } from 'loopwright'

export type VictimSize = 'large' | 'small'

export interface VictimPlace {
  readonly state: string
  readonly file: string
  readonly workspace: string
}

const large = `
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineLoop } from 'loopwright'

export default defineLoop({
  loop: {
    name: 'victim',
    createContext: () => null,
    async iterate(_context, it) {
      const file = join(it.workspace?.path ?? '.', 'lines.txt')
      await it.step('write', () => appendFile(file, \`line \${it.number}\\n\`))
      await it.agent('maker', { prompt: 'Write.' })
      await it.ask('go', { text: 'Go on?', default: 'yes', deadlineMs: 3 })
      await it.check()
      return it.number
    },
    extractProgress: (number) => ({ number }),
    until: [{ type: 'checks-pass' }],
  },
  agent: { command: ['sh', '-c', 'echo agent >> agent.txt'] },
  checks: { enough: 'test $(wc -l < lines.txt) -ge 2' },
})
`

const small = `
name: victim
prompt: Write. {{ progress }}
agent:
  script:
    - [{ call: write, args: { path: lines.txt, content: "line 1\\n" } }, { say: One. }]
    - [{ call: read, args: { path: lines.txt } }, { call: write, args: { path: lines.txt, content: "line 1\\nline 2\\n" } }, { say: Two. }]
tools: [read, write]
checks: { enough: "test $(wc -l < lines.txt) -ge 2" }
`

const git = (folder: string, ...args: string[]): void => {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
  const names = ['-c', 'user.name=proof', '-c', 'user.email=proof@example.com']
  execFileSync('git', [...names, ...args], { cwd: folder, env, stdio: 'ignore' })
}

export async function layOutVictim(base: string, size: VictimSize): Promise<VictimPlace> {
  const folders = { state: join(base, 'state'), workspace: join(base, 'work') }
  const file = join(base, size === 'large' ? 'victim.ts' : 'victim.yaml')
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { workspace, state } = folders
  writeFileSync(join(workspace, 'README'), 'Nothing yet.\n')
  if (size === 'large') {
    git(workspace, 'init', '-q', '-b', 'main')
    git(workspace, 'add', '.')
    git(workspace, 'commit', '-q', '-m', 'begin')
  }
  writeFileSync(file, size === 'large' ? large : small)
  await trustLoop(await previewLoop(file, state), state)
  return { ...folders, file }
}

/** What is wrong with the files that it left. */
export function wrongFiles(folder: string, size: VictimSize): readonly string[] {
  const wanted = {
    'lines.txt': 'line 1\nline 2\n',
    ...(size === 'large' ? { 'agent.txt': 'agent\nagent\n' } : {}),
  }
  return Object.entries(wanted).flatMap(([name, text]) => {
    const found = readFileSync(join(folder, name), 'utf8')
    return found === text ? [] : [`${name} is ${JSON.stringify(found)}`]
  })
}
