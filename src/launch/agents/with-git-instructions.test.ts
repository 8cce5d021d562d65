import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Agent } from '../../agents/index.ts'
import { defined, zero } from '../../loop/index.ts'
import { createAgentContext } from '../../testing/agent-context.ts'
import { withGitInstructions } from './with-git-instructions.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-git-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const repeating: Agent = {
  work: async ({ prompt }) => ({ status: 'done', text: prompt, usage: zero, turns: 1 }),
}

async function readPrompt(workspace: string | undefined): Promise<string> {
  const context = createAgentContext(defined({ workspace }))
  return (await withGitInstructions(repeating).work({ prompt: 'Mend it.' }, context)).text
}

test('the prompt of an agent in a worktree says that it cannot and need not commit', async () => {
  writeFileSync(join(folder, '.git'), 'gitdir: /elsewhere\n')
  expect(await readPrompt(folder)).toMatch(
    /^Mend it\.\n\nYou work in a git worktree whose \.git is read-only/,
  )
})

test('other prompts stay unchanged', async () => {
  expect(await readPrompt(undefined)).toBe('Mend it.')
  expect(await readPrompt(folder)).toBe('Mend it.')
  mkdirSync(join(folder, '.git'))
  expect(await readPrompt(folder)).toBe('Mend it.')
})
