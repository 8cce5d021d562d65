import { describe, expect, test } from 'vitest'
import { continuesCode, versionOf } from '../../src/engine/code-digest.ts'
import { codeDigest } from '../../src/engine/index.ts'
import { createWorld, loopOf, memoryWorkspace, treeOf } from './fixture.ts'

/** A loop whose first two steps are done when it is stopped in its first iteration. */
function versioned(version: string, stop?: AbortController) {
  const ran: string[] = []
  const loop = loopOf<string>(
    async (_context, it) => {
      for (const name of ['one', 'two', 'three']) {
        await it.step(name, () => {
          ran.push(`${version} ${name}`)
          if (name === 'two' && it.number === 1) stop?.abort()
        })
      }
      return version
    },
    { version, until: [{ type: 'max-iterations', iterations: 2 }] },
  )
  return { loop, ran }
}

async function stoppedInFirst(world = createWorld()) {
  const stop = new AbortController()
  const { loop } = versioned('1', stop)
  const run = await world.start(loop)
  await world.finish(run, loop, { signal: stop.signal })
  return { world, run }
}

describe('a change of the code of a loop', () => {
  test('in the middle of an iteration is refused with advice, and nothing is written', async () => {
    const { world, run } = await stoppedInFirst()
    const { loop, ran } = versioned('2')
    const before = await world.events(run)
    await expect(world.drive(run, loop)).rejects.toMatchObject({ code: 'code-changed' })
    await expect(world.drive(run, loop)).rejects.toThrow(/iteration 1.*force/s)
    expect(ran).toEqual([])
    expect(await world.events(run)).toEqual(before)
    expect((await world.journal.findRun(run)).held).toBe(false)
  })

  test('continues with the old code as if nothing had been tried', async () => {
    const { world, run } = await stoppedInFirst()
    await world.drive(run, versioned('2').loop).catch(() => undefined)
    const { loop, ran } = versioned('1')
    await world.finish(run, loop)
    expect(ran).toEqual(['1 three', '1 one', '1 two', '1 three'])
  })

  test('by force restarts the iteration', async () => {
    const { world, run } = await stoppedInFirst()
    const { loop, ran } = versioned('2')
    const end = await world.finish(run, loop, { force: true })
    expect(end.type).toBe('ended')
    expect(ran.slice(0, 3)).toEqual(['2 one', '2 two', '2 three'])
    const [restarted] = await world.only(run, 'iteration-restarted')
    expect(restarted).toMatchObject({ iteration: 1, reason: 'the code of the loop changed' })
  })

  test('by force can be interrupted and continues without force', async () => {
    const { world, run } = await stoppedInFirst()
    const stop = new AbortController()
    await world.finish(run, versioned('2', stop).loop, { force: true, signal: stop.signal })
    const { loop, ran } = versioned('2')
    await world.finish(run, loop)
    expect(ran.slice(0, 1)).toEqual(['2 three'])
  })

  test('between iterations is accepted and recorded', async () => {
    const world = createWorld()
    const first = versioned('1')
    const run = await world.start(first.loop)
    const stop = new AbortController()
    const stopping = {
      ...first.loop,
      extractProgress: (result: string) => {
        stop.abort()
        return result
      },
    }
    await world.finish(run, { ...stopping, version: '1' }, { signal: stop.signal })
    expect((await world.state(run)).iteration).toBe(1)
    const second = versioned('2')
    await world.finish(run, second.loop)
    expect(second.ran).toHaveLength(3)
    const started = await world.only(run, 'iteration-started')
    expect(started.at(-1)?.codeDigest).toBe(codeDigest(second.loop))
  })

  test('to another loop is refused', async () => {
    const { world, run } = await stoppedInFirst()
    const other = { ...versioned('1').loop, name: 'other' }
    await expect(world.drive(run, other)).rejects.toThrow(
      'belongs to the loop "story", not "other"',
    )
  })

  test('E5: by force restores the files and voids checks on other files', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const seen: unknown[] = []
    const world = createWorld({
      workspace,
      checks: {
        test: async () => {
          const isWritten = workspace.files.get('log') === '1'
          return { status: isWritten ? 'met' : 'not-met', output: '' }
        },
      },
    })
    const stop = new AbortController()
    const make = (version: string, checks: boolean) =>
      loopOf<null>(
        async (_context, it) => {
          seen.push(workspace.files.get('log'))
          if (checks) await it.step('write', () => void workspace.files.set('log', version))
          if (checks) await it.check(['test'])
          await it.step('stop', () => (version === '1' ? stop.abort() : undefined), {
            readOnly: true,
          })
          await it.step('rest', () => undefined, { readOnly: true })
          return null
        },
        {
          version,
          until: [{ type: 'checks-pass' }, { type: 'max-iterations', iterations: 1 }],
        },
      )
    const run = await world.start(make('1', true))
    await world.finish(run, make('1', true), { signal: stop.signal })
    expect(workspace.files.get('log')).toBe('1')
    const end = await world.finish(run, make('2', false), { force: true })
    expect(seen).toEqual(['', ''])
    expect(end).toMatchObject({ outcome: { condition: 'max-iterations' } })
    const [started] = await world.only(run, 'iteration-started')
    expect((await world.state(run)).tree).toBe(started?.tree)
  })
})

describe('the digest of a loop', () => {
  const loop = loopOf<number>(async (_context, it) => it.step('a', () => 1))

  test('is the same for the same code', () => {
    expect(codeDigest({ ...loop })).toBe(codeDigest(loop))
  })

  test.each([
    ['name', { name: 'other' }],
    ['version', { version: '2' }],
    ['code', { iterate: async () => 2 }],
    ['conditions', { until: [{ type: 'max-iterations', iterations: 9 } as const] }],
    ['code of a condition', { until: [{ type: 'custom', name: 'c', met: () => true } as const] }],
  ])('differs for another %s', (_name, change) => {
    expect(codeDigest({ ...loop, ...change })).not.toBe(codeDigest(loop))
  })

  test('with a revision does not depend on the source text of the functions', () => {
    const digest = codeDigest({ ...loop, revision: 1 })
    expect(codeDigest({ ...loop, revision: 1, iterate: async () => 2 })).toBe(digest)
    expect(codeDigest({ ...loop, revision: 2 })).not.toBe(digest)
    expect(codeDigest({ ...loop, revision: 1, version: '2' })).not.toBe(digest)
  })
})

describe('an iteration that began before revisions were recorded', () => {
  const source = { file: 'fix.yaml', digest: 'abc' }
  const legacy = codeDigest(loopOf<number>(async () => 1))
  const loop = { ...loopOf<number>(async () => 2, { version: 'abc' }), revision: 1 }

  test('continues with the first revision of the same loop file', () => {
    expect(continuesCode(loop, legacy, source)).toBe(true)
    const changes = { model: 'openai/gpt-6' }
    const version = versionOf({ ...source, changes })
    expect(continuesCode({ ...loop, version }, legacy, { ...source, changes })).toBe(true)
  })

  test.each([
    ['another loop file', loop, { ...source, digest: 'other' }],
    ['other changes to it', loop, { ...source, changes: { model: 'openai/gpt-6' } }],
    ['a later revision', { ...loop, revision: 2 }, source],
    ['a loop without a revision', loopOf<number>(async () => 2, { version: 'abc' }), source],
    ['a loop that is not from a file', loop, undefined],
  ])('does not continue with %s', (_name, other, from) => {
    expect(continuesCode(other, legacy, from)).toBe(false)
  })

  test('does not continue with another recorded revision', () => {
    const recorded = codeDigest({ ...loop, revision: 2 })
    expect(continuesCode(loop, recorded, source)).toBe(false)
  })
})

test('by force, the files that were found instead are saved', async () => {
  const files = memoryWorkspace({ a: '1' })
  const { world, run } = await stoppedInFirst(createWorld({ workspace: files }))
  files.files.set('mine', 'by a person')
  const { loop } = versioned('2')
  await world.finish(run, loop, { force: true })
  expect(files.files.has('mine')).toBe(false)
  const [changed] = await world.only(run, 'workspace-changed')
  expect(changed).toMatchObject({ why: 'unfinished-step' })
  expect(files.trees.get(changed?.found ?? treeOf(''))).toContainEqual(['mine', 'by a person'])
})
