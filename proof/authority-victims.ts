/** Runs whose daemon is killed: one that waits for an answer, one that appends to a file outside, one that merges. */

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { previewLoop, trustLoop } from 'loopwright'

export interface AuthorityPlace {
  readonly state: string
  readonly file: string
  readonly workspace: string
  /** What the executor wrote: one line for each time that it acted. */
  performed(): readonly string[]
}

/** `blind`: nothing tells afterwards whether it happened. */
export type AuthorityVictim = 'asking' | 'appending' | 'blind' | 'merging'

const asking = (): string => `
import { defineLoop } from 'loopwright'

export default defineLoop({
  loop: {
    name: 'victim',
    createContext: () => null,
    async iterate(_context, it) {
      const { answer, who } = await it.ask('color', {
        text: 'Which?', options: ['red', 'blue', 'none'], default: 'none', deadlineMs: 3_600_000,
      })
      return \`\${answer} \${who ?? 'default'}\`
    },
    extractProgress: (text) => ({ text }),
    until: [{ type: 'custom', name: 'asked', met: () => true }],
  },
})
`

/** It takes its time before and after, so that kills find it there. */
const appending = (outside: string, knows: boolean): string => `
import { appendFileSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineLoop } from 'loopwright'

const outside = ${JSON.stringify(outside)}

export default defineLoop({
  loop: {
    name: 'victim',
    createContext: () => null,
    iterate: (_context, it) => it.act({ kind: 'append', summary: 'Append a line' }),
    extractProgress: ({ status }) => ({ status }),
    until: [{ type: 'custom', name: 'acted', met: () => true }],
  },
  gate: { judge: async () => ({ type: 'allow' }) },
  actions: {
    async perform(_action, key) {
      await sleep(15)
      appendFileSync(outside, key + '\\n')
      await sleep(15)
      return { status: 'done', summary: 'appended' }
    },
    async find(_action, key) {
      if (!${knows}) return { type: 'unknown' }
      return readFileSync(outside, 'utf8').includes(key)
        ? { type: 'done', receipt: { status: 'done', summary: 'found' } }
        : { type: 'not-done' }
    },
  },
})
`

const merging = `
name: victim
prompt: Write.
agent: { script: [[{ call: write, args: { path: line.txt, content: "line" } }, { say: Done. }]] }
checks: { written: test -f line.txt }
scope: ["**"]
certify: { quick: true, require: checks-pass, dependencies: none }
level: 3
gate: { allow: [merge] }
actions: [merge]
`

export async function layOutAuthority(
  base: string,
  victim: AuthorityVictim,
): Promise<AuthorityPlace> {
  const [state, workspace, outside] = ['state', 'work', 'outside.txt'].map((name) =>
    join(base, name),
  ) as [string, string, string]
  for (const folder of [state, workspace]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(workspace, 'README'), 'Nothing yet.\n')
  writeFileSync(outside, '')
  const git = (...args: string[]): string => {
    const env = { PATH: process.env['PATH'], HOME: base, GIT_CONFIG_NOSYSTEM: '1' }
    const names = ['-c', 'user.name=proof', '-c', 'user.email=proof@example.com']
    return execFileSync('git', [...names, ...args], { cwd: workspace, env, encoding: 'utf8' })
  }
  if (victim === 'merging') {
    git('init', '-q', '-b', 'main')
    git('add', '.')
    git('commit', '-q', '-m', 'begin')
  }
  const file = join(base, victim === 'merging' ? 'victim.yaml' : 'victim.ts')
  const text = { asking: asking(), merging, appending: '', blind: '' }[victim]
  writeFileSync(file, text === '' ? appending(outside, victim === 'appending') : text)
  await trustLoop(await previewLoop(file, state), state)
  const merged = (): readonly string[] =>
    git('branch', '--list', 'agent/victim').trim() === ''
      ? []
      : linesIn(git('log', '--format=%H', 'main..agent/victim'))
  const appended = (): readonly string[] =>
    existsSync(outside) ? linesIn(readFileSync(outside, 'utf8')) : []
  return { state, workspace, file, performed: victim === 'merging' ? merged : appended }
}

const linesIn = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '')
