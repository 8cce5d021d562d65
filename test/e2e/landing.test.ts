/**
 * Runs whose work is merged through the merge queue, by the built loopctl, with real git, checks in the sandbox and a
 * scripted agent.
 */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { inProof } from '../share.ts'
import { ctl, endOf, eventsOf } from './loop-fixture.ts'
import { repository, run } from './worktree-fixture.ts'

/** Passes if no file has marks of a conflict, and `limit` files at most have a line `use`. */
const checkFile = `
import { readdirSync, readFileSync } from 'node:fs'
const texts = readdirSync('.').filter((name) => name.endsWith('.txt')).map((name) => readFileSync(name, 'utf8'))
if (texts.some((text) => text.includes('<<<<<<<'))) throw new Error('a conflict is marked')
const used = texts.filter((text) => text.includes('use')).length
if (used > 1) throw new Error('two files use it')
if (!texts.some((text) => text.includes('done'))) throw new Error('not done')
`

const loop = (turns: string, more = ''): string => `
name: shop
prompt: "Do it. {{ progress }}"
level: 3
gate: { allow: [merge] }
scope: ['**']
seals: { paths: [check.mjs] }
checks: { ok: node check.mjs }
agent:
  script:
${turns}
${more}
`

const write = (file: string, text: string): string =>
  `    - - { call: run, args: { command: "echo ${text} > ${file}" } }\n      - { say: ok }\n`

const files = { 'check.mjs': checkFile }

/** What others merged into the branch meanwhile. */
function others(at: ReturnType<typeof repository>, path: string, text: string): void {
  at.git('branch', 'agent/shop', 'main')
  at.git('checkout', '-q', 'agent/shop')
  writeFileSync(join(at.work, path), text)
  at.git('add', '-A')
  at.git('commit', '-q', '-m', 'of others')
  at.git('checkout', '-q', 'main')
}

const last = 'then: [merge]\nlimits: { iterations: 1 }'

describe('then: [merge]', () => {
  test('sends a run with a conflict back to work on the new base, and merges what it makes of it', async () => {
    const turns = write('a.txt', 'done') + write('a.txt', 'done with both')
    const at = repository(loop(turns, 'then: [merge]'), files)
    others(at, 'a.txt', 'theirs\n')
    const before = at.seen()
    const ended = await run(at, '--name', 'work')
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'completed' } })
    expect(eventsOf(ended, 'iteration-ended')).toHaveLength(2)
    const [moved] = eventsOf(ended, 'workspace-changed')
    expect(moved).toMatchObject({ why: 'base-moved' })
    const [failed] = eventsOf(ended, 'step-failed')
    expect(failed).toMatchObject({ fault: { code: 'needs-work' } })
    expect(at.git('show', 'agent/shop:a.txt')).toBe('done with both\n')
    expect(at.git('log', '--format=%s', 'main..agent/shop')).toBe('shop: work\nof others\n')
    expect(at.seen()).toBe(before)
    // A replay continues on the same files, and merges nothing.
    const tip = at.git('rev-parse', 'agent/shop')
    expect((await ctl(at, 'replay', 'work')).stdout).toContain('the same as work')
    expect(at.git('rev-parse', 'agent/shop')).toBe(tip)
  })

  test.each(inProof)(
    'sends a run back whose files do not pass with those of the target, %s',
    async () => {
      const turns = write('b.txt', 'done use') + write('b.txt', 'done')
      const at = repository(loop(turns, 'then: [merge]'), files)
      others(at, 'c.txt', 'use\n')
      const ended = await run(at, '--name', 'work')
      expect(endOf(ended)).toMatchObject({ outcome: { type: 'completed' } })
      expect(eventsOf(ended, 'iteration-ended')).toHaveLength(2)
      expect(at.git('show', 'agent/shop:b.txt')).toBe('done\n')
      expect(at.git('show', 'agent/shop:c.txt')).toBe('use\n')
    },
  )

  test.each(inProof)('certifies merged files, %s', async () => {
    const at = repository(loop(write('b.txt', 'done'), last), files)
    others(at, 'c.txt', 'use\n')
    expect(endOf(await run(at, '--name', 'one'))).toMatchObject({ outcome: { type: 'completed' } })
    expect(at.git('show', 'agent/shop:b.txt')).toBe('done\n')
  })

  test('makes a conflict in the last iteration that is allowed a question', async () => {
    const turns = write('a.txt', 'done') + write('a.txt', 'done with both')
    const conflicting = repository(loop(turns, last), files)
    others(conflicting, 'a.txt', 'theirs\n')
    const running = run(conflicting, '--name', 'two')
    const asks = async (): Promise<string> => (await ctl(conflicting, 'inbox')).stdout
    await expect
      .poll(asks, { timeout: 60_000, interval: 200 })
      .toContain('conflicts with agent/shop in a.txt')
    await ctl(conflicting, 'answer', 'two', '--accept')
    const ended = await running
    expect(endOf(ended)).toMatchObject({ outcome: { type: 'completed' } })
    expect(eventsOf(ended, 'iteration-ended')).toHaveLength(2)
    expect(conflicting.git('show', 'agent/shop:a.txt')).toBe('done with both\n')
  })

  test('merge uses the branch that the run merged into; land moves one that is not checked out, and names the command for one that is', async () => {
    const at = repository(
      loop(write('b.txt', 'done'), 'then: [{ merge: { into: agent/other } }]'),
      files,
    )
    expect(endOf(await run(at, '--name', 'one'))).toMatchObject({ outcome: { type: 'completed' } })
    expect((await ctl(at, 'merge', 'one')).stdout).toContain('agent/other already contains it')
    expect(at.git('branch', '--list', 'agent/*').trim()).toBe('agent/other')
    const refused = await ctl(at, 'land', 'one', '--onto', 'main')
    expect(refused.stderr).toContain('Merge it there: git merge --ff-only agent/other')
    at.git('branch', 'release', 'main')
    const landed = await ctl(at, '--json', 'land', 'one', '--onto', 'release')
    const commit = at.git('rev-parse', 'agent/other').trim()
    expect(JSON.parse(landed.stdout)).toEqual({ status: 'merged', target: 'release', commit })
    expect(at.git('rev-parse', 'release').trim()).toBe(commit)
    const again = await ctl(at, 'land', 'one', '--onto', 'release')
    expect(again.stdout).toContain('release already contains it')
    // Not forward: the merged files are certified with the checks of the loop file.
    at.git('checkout', '-q', '-b', 'next', 'main')
    writeFileSync(join(at.work, 'c.txt'), 'use\n')
    at.git('add', '-A')
    at.git('commit', '-q', '-m', 'mine')
    at.git('checkout', '-q', 'main')
    const merged = JSON.parse((await ctl(at, '--json', 'land', 'one', '--onto', 'next')).stdout)
    expect(merged).toMatchObject({ status: 'merged', certificate: expect.any(String) })
    expect(at.git('show', 'next:b.txt')).toBe('done\n')
    const actions = await ctl(at, 'actions', 'one')
    expect(actions.stdout).toContain('landed on next')
  })
})
