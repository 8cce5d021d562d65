import { describe, expect, test } from 'vitest'
import { type Iteration, LoopError, rateLimited, type TreeId } from '../../src/loop/index.ts'
import {
  createWorld,
  deferred,
  loopOf,
  memoryWorkspace,
  treeOf,
  until,
  worldAfter,
} from './fixture.ts'

/** Appends to a file in two steps; the second is slow and changes files on the way. */
function writing(
  files: ReadonlyMap<string, string> & Map<string, string>,
  middle = async () => {},
) {
  return loopOf<string>(async (_context, it) => {
    await it.step('first', () => void files.set('log', `${files.get('log')} first`))
    await it.step('second', async () => {
      files.set('half', 'written')
      await middle()
      files.delete('half')
      files.set('log', `${files.get('log')} second`)
    })
    return it.step('read', () => files.get('log') ?? '', { readOnly: true })
  })
}

describe('the files of a run', () => {
  test('are recorded before and after each step that may change them', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const world = createWorld({ workspace })
    const loop = writing(workspace.files)
    const run = await world.start(loop)
    await world.finish(run, loop)
    const starts = (await world.only(run, 'step-started')).map(({ tree }) => tree)
    const ends = (await world.only(run, 'step-finished')).map(({ tree }) => tree)
    const textOf = (tree: TreeId | undefined) =>
      tree === undefined ? undefined : new Map(workspace.trees.get(tree)).get('log')
    expect(starts.map(textOf)).toEqual(['', ' first', undefined])
    expect(ends.map(textOf)).toEqual([' first', ' first second', undefined])
    const named = await world.journal.namedContent()
    expect(new Set(named.map(({ hash }) => hash))).toEqual(
      new Set([starts[0], ...ends.slice(0, 2)]),
    )
    expect(named.every(({ isTree }) => isTree)).toBe(true)
  })

  test('E2: after a kill at any moment are restored to the tree that the unfinished step started on', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const world = createWorld({ workspace })
    const loop = writing(workspace.files)
    const run = await world.start(loop)
    await world.finish(run, loop)
    const events = await world.events(run)
    const last = (await world.state(run)).tree
    for (let count = 1; count < events.length; count++) {
      // Files that were left when the process died.
      const left = memoryWorkspace({ log: 'garbage', half: 'written' }, workspace.trees)
      if (count <= 3) {
        left.files.clear()
        left.files.set('log', '')
      }
      const later = await worldAfter(events, count, { workspace: left })
      await later.finish(run, writing(left.files))
      expect((await later.state(run)).progress).toBe(' first second')
      expect((await later.state(run)).tree).toBe(last)
      expect([...left.files]).toEqual([['log', ' first second']])
    }
  })

  test('keep what an unfinished step left, in a separate tree', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const world = createWorld({ workspace })
    let middle = new Promise<void>(() => undefined)
    const loop = writing(workspace.files, () => middle)
    const run = await world.start(loop)
    const stop = new AbortController()
    const driving = world.drive(run, loop, { signal: stop.signal, graceMs: 0 })
    await until(() => workspace.files.has('half'))
    stop.abort()
    await world.clock.pass(driving)
    middle = Promise.resolve()
    await world.finish(run, loop)
    const [changed] = await world.only(run, 'workspace-changed')
    expect(changed?.why).toBe('unfinished-step')
    const left = workspace.trees.get(changed?.found ?? treeOf('none'))
    expect(new Map(left).get('half')).toBe('written')
    expect((await world.state(run)).progress).toBe(' first second')
  })

  test('that a failed attempt left are restored before the next attempt', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const world = createWorld({ workspace })
    const loop = loopOf<string>(async (_context, it) => {
      await it.step('flaky', ({ attempt }) => {
        workspace.files.set('log', `${workspace.files.get('log')}${attempt}`)
        if (attempt < 3) throw Object.assign(new Error('reset'), { code: 'ECONNRESET' })
      })
      return it.step('read', () => workspace.files.get('log') ?? '', { readOnly: true })
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe('3')
  })

  test('that a rate-limited step left are restored before it runs again', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const world = createWorld({ workspace })
    const loop = loopOf<string>(async (_context, it) => {
      await it.step('model', ({ attempt }) => {
        workspace.files.set('log', `${workspace.files.get('log')}${attempt}`)
        if (attempt === 1) throw rateLimited('not now', world.clock.now() + 10)
      })
      return it.step('read', () => workspace.files.get('log') ?? '', { readOnly: true })
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe('2')
  })

  test('that a step gave up on stay as they are, for the loop to see', async () => {
    const workspace = memoryWorkspace({ log: '' })
    const world = createWorld({ workspace })
    const loop = loopOf<string>(async (_context, it) => {
      const broken = it.step('breaks', () => {
        workspace.files.set('log', 'partly')
        throw new Error('no')
      })
      await broken.catch(() => undefined)
      return it.step('read', () => workspace.files.get('log') ?? '', { readOnly: true })
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe('partly')
    const [failed] = await world.only(run, 'step-failed')
    expect(failed?.tree).toBe((await world.state(run)).tree)
  })

  test('are changed by one step at a time', async () => {
    const workspace = memoryWorkspace()
    const world = createWorld({ workspace })
    let inside = 0
    let most = 0
    const work = async (): Promise<void> => {
      most = Math.max(most, ++inside)
      await world.clock.sleep(10)
      inside--
    }
    const loop = loopOf<null>(async (_context, it) => {
      await it.parallel({
        a: (branch) => branch.step('a', work),
        b: (branch) => branch.step('b', work),
        c: (branch) => branch.step('c', work),
      })
      return null
    })
    const run = await world.start(loop)
    await world.finish(run, loop)
    expect(most).toBe(1)
  })
})

describe('files that a person changed while the run was stopped properly', () => {
  const hold = deferred()

  test.each<[string, (it: Iteration) => Promise<unknown>]>([
    ['between two steps', (it) => it.step('hold', () => hold.promise, { readOnly: true })],
    ['while it asked a person', (it) => it.ask('q', { text: 'q?', default: '', deadlineMs: 9000 })],
    ['while it slept', (it) => it.sleep('nap', 9000)],
  ])('are used as they are: %s', async (_name, wait) => {
    const workspace = memoryWorkspace({ log: 'ours' })
    const world = createWorld({ workspace })
    const stop = new AbortController()
    const loop = loopOf<string>(async (_context, it) => {
      await it.step('write', () => void workspace.files.set('other', 'file'))
      await wait(it)
      return it.step('read', () => workspace.files.get('log') ?? '')
    })
    const run = await world.start(loop)
    const driving = world.drive(run, loop, { signal: stop.signal })
    await world.clock.settle()
    stop.abort()
    hold.resolve()
    expect((await world.clock.pass(driving)).type).toBe('suspended')
    workspace.files.set('log', 'edited by a person')
    await world.finish(run, loop)
    expect((await world.state(run)).progress).toBe('edited by a person')
    const [changed] = await world.only(run, 'workspace-changed')
    expect(changed?.why).toBe('changed-outside')
  })
})

test('a workspace that fails leaves a run that can be resumed when it works again', async () => {
  const workspace = memoryWorkspace({ log: '' })
  let broken = false
  const failing = {
    ...workspace,
    async snapshot() {
      if (broken) throw new LoopError('workspace-failed', 'No space is left. Free some.')
      return workspace.snapshot()
    },
  }
  const world = createWorld({ workspace: failing })
  let ran = 0
  const loop = loopOf<string>(async (_context, it) => {
    await it.step('write', () => {
      ran++
      workspace.files.set('log', `${workspace.files.get('log')}x`)
      broken = ran === 1
    })
    return it.step('read', () => workspace.files.get('log') ?? '', { readOnly: true })
  })
  const run = await world.start(loop)
  await expect(world.finish(run, loop)).rejects.toThrow('No space is left')
  broken = false
  await world.finish(run, loop)
  expect((await world.state(run)).progress).toBe('x')
  expect(ran).toBe(2)
})
