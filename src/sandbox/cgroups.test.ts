import { mkdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { defined } from '../loop/index.ts'
import { type Hierarchy, readHierarchies } from './cgroup-hierarchies.ts'
import { type Cgroup, openCgroups } from './cgroups.ts'
import { newMark } from './process-group.ts'
import { defaultLimits } from './sandbox-type.ts'

/** Ordinary folders, with the files that the kernel would put there. */
let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-cgroup-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const mount = (type: string, options: string, at = root, from = '/'): string =>
  `31 23 0:28 ${from} ${at.replaceAll(' ', '\\040')} rw,relatime - ${type} ${type} rw,${options}\n`

async function group(path: string, subtree: string): Promise<void> {
  await mkdir(join(root, path), { recursive: true })
  writeFileSync(join(root, path, 'cgroup.procs'), '')
  writeFileSync(join(root, path, 'cgroup.subtree_control'), subtree)
}

const settingsOf = (hierarchy: Hierarchy | undefined, cpus?: number): Record<string, string> =>
  Object.fromEntries(
    (hierarchy?.settings({ ...defaultLimits, ...defined({ cpus }) }) ?? []).map(
      ({ file, value }) => [file, value],
    ),
  )

describe('version 2', () => {
  const mountInfo = (): string => mount('cgroup2', 'nsdelegate')

  test('makes groups below the nearest one that gives memory and processes', async () => {
    await group('user.slice/app.slice/own.scope', '')
    await group('user.slice/app.slice', 'cpu memory pids')
    // The kernel refuses this for a group that has processes; a folder would take it.
    await rm(join(root, 'user.slice/app.slice/own.scope/cgroup.subtree_control'))
    const ownGroups = '0::/user.slice/app.slice/own.scope\n'
    const [found, ...others] = readHierarchies({ mountInfo: mountInfo(), ownGroups })
    expect(others).toEqual([])
    expect(found?.folder).toBe(join(root, 'user.slice/app.slice'))
    expect(settingsOf(found)).toEqual({
      'pids.max': `${defaultLimits.processes}`,
      'memory.max': `${defaultLimits.memoryBytes}`,
      'memory.swap.max': '0',
    })
    expect(settingsOf(found, 1.5)).toMatchObject({ 'cpu.max': '150000 100000' })
  })

  test('asks its own group for what it does not give yet', async () => {
    await group('own', 'cpu')
    const [found] = readHierarchies({ mountInfo: mountInfo(), ownGroups: '0::/own\n' })
    expect(readFileSync(join(root, 'own/cgroup.subtree_control'), 'utf8')).toBe('+memory +pids')
    // The kernel would now show both; a folder shows what was written.
    expect(found).toBeUndefined()
  })

  test('tells which limit was met', async () => {
    await group('own', 'memory pids')
    const [found] = readHierarchies({ mountInfo: mountInfo(), ownGroups: '0::/own\n' })
    writeFileSync(join(root, 'memory.events'), 'low 0\noom 1\noom_kill 0\noom_group_kill 0\n')
    writeFileSync(join(root, 'pids.events'), 'max 0\n')
    expect(found?.exceeded(root)).toBeUndefined()
    writeFileSync(join(root, 'pids.events'), 'max 3\n')
    expect(found?.exceeded(root)).toBe('processes')
    writeFileSync(join(root, 'memory.events'), 'oom_kill 1\n')
    expect(found?.exceeded(root)).toBe('memory')
  })
})

describe('version 1', () => {
  test('has a tree for each controller', async () => {
    await mkdir(join(root, 'pids/own group'), { recursive: true })
    await mkdir(join(root, 'mem/own'), { recursive: true })
    const found = readHierarchies({
      mountInfo:
        mount('cgroup', 'pids', join(root, 'pids')) + mount('cgroup', 'memory', join(root, 'mem')),
      ownGroups: '4:memory:/own\n3:pids:/own group\n0::/\n',
    })
    expect(found.map(({ folder }) => folder)).toEqual([
      join(root, 'pids/own group'),
      join(root, 'mem/own'),
    ])
    expect(settingsOf(found[0])).toEqual({ 'pids.max': '1024' })
  })

  test('takes the freezer of a tree of version 2 that is there for nothing else', () => {
    const found = readHierarchies({
      mountInfo: mount('cgroup', 'pids') + mount('cgroup2', 'nsdelegate'),
      ownGroups: '3:pids:/\n0::/\n',
    })
    expect(found.map(({ controllers }) => controllers)).toEqual([['pids'], ['freezer']])
  })

  test('in a container begins where the container does', async () => {
    const at = join(root, 'with space')
    await mkdir(join(at, 'own'), { recursive: true })
    const ownGroups = '3:pids:/docker/abc/own\n'
    const read = (from: string): readonly Hierarchy[] =>
      readHierarchies({ mountInfo: mount('cgroup', 'pids', at, from), ownGroups })
    expect(read('/docker/abc')[0]?.folder).toBe(join(at, 'own'))
    expect(read('/elsewhere')[0]?.folder).toBe(at)
  })
})

describe('groups', () => {
  test('are not to be had without both limits, or where they cannot be made', () => {
    expect(openCgroups([])).toBeUndefined()
    const one = (folder: string, controllers: readonly string[]): Hierarchy => ({
      folder,
      controllers,
      limitFile: 'memory.max',
      settings: () => [],
      exceeded: () => undefined,
    })
    expect(openCgroups([one(root, ['memory'])])).toBeUndefined()
    expect(openCgroups([one('/nonexistent/cgroup', ['memory', 'pids'])])).toBeUndefined()
    // A folder that can be made but has no limits.
    expect(openCgroups([one(root, ['memory', 'pids'])])).toBeUndefined()
  })

  const cgroups = openCgroups()

  test.skipIf(cgroups === undefined)('freeze where that is asked for', async () => {
    const made = (name: string, canFreeze: boolean): Cgroup | undefined => {
      const one = cgroups?.create(`${newMark().own}${name}`, defaultLimits, { canFreeze })
      onTestFinished(async () => void (await one?.remove()))
      return one
    }
    const hasFreezer = readHierarchies().some(({ folder }) =>
      readFileSync('/proc/self/mountinfo', 'utf8')
        .split('\n')
        .some(
          (line) => line.includes(' - cgroup2 ') && folder.startsWith(line.split(' ')[4] ?? '-'),
        ),
    )
    expect(made('a', true)?.freezer !== undefined).toBe(hasFreezer)
    const freezer = made('b', true)?.freezer
    freezer?.freeze()
    expect(freezer?.isFrozen() ?? true).toBe(true)
    freezer?.thaw()
    expect(freezer?.isFrozen() ?? false).toBe(false)
  })

  // Where groups cannot be made there are none to remove.
  test.skipIf(cgroups === undefined)('of dead processes are removed, others are not', async () => {
    const [hierarchy] = readHierarchies()
    const folder = hierarchy?.folder ?? ''
    const namespace = readNamespace()
    const dead = join(folder, `loopwright.${namespace}.${process.pid}.1.dead`)
    const elsewhere = join(folder, `loopwright.1.${process.pid}.1.elsewhere`)
    mkdirSync(dead)
    mkdirSync(elsewhere)
    try {
      await cgroups?.removeAbandoned()
      expect(() => readFileSync(join(dead, 'cgroup.procs'))).toThrow('ENOENT')
      expect(readFileSync(join(elsewhere, 'cgroup.procs'), 'utf8')).toBe('')
    } finally {
      rmdirSync(elsewhere)
    }
  })
})

const readNamespace = (): string => readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')
