import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Agent } from '../../agents/index.ts'
import { defined, zero } from '../../loop/index.ts'
import { createAgentContext } from '../../testing/agent-context.ts'
import { toldOfGit } from './git-instructions.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-told-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const repeating: Agent = {
  work: async ({ prompt }) => ({ status: 'done', text: prompt, usage: zero, turns: 1 }),
}

async function told(workspace: string | undefined): Promise<string> {
  const context = createAgentContext(defined({ workspace }))
  return (await toldOfGit(repeating).work({ prompt: 'Mend it.' }, context)).text
}

test('an agent in a worktree is told that it cannot commit, and need not', async () => {
  writeFileSync(join(folder, '.git'), 'gitdir: /elsewhere\n')
  expect(await told(folder)).toMatch(
    /^Mend it\.\n\nYou work in a git worktree whose \.git is read-only/,
  )
})

test('others are told nothing', async () => {
  expect(await told(undefined)).toBe('Mend it.')
  expect(await told(folder)).toBe('Mend it.')
  mkdirSync(join(folder, '.git'))
  expect(await told(folder)).toBe('Mend it.')
})
