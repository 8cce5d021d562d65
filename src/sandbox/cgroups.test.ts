import { mkdirSync, readFileSync, readlinkSync, rmdirSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { defined } from '../loop/index.ts'
import { type Hierarchy, readHierarchies } from './cgroup-hierarchies.ts'
import { type Cgroup, openCgroups } from './cgroups.ts'
import { createMark } from './process-group.ts'
import { defaultLimits } from './sandbox-type.ts'

/** An ordinary folder with the files that the kernel would create. */
let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'loopwright-cgroup-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const mount = (type: string, options: string, at = root, from = '/'): string =>
  `31 23 0:28 ${from} ${at.replaceAll(' ', '\\040')} rw,relatime - ${type} ${type} rw,${options}\n`

async function createGroup(path: string, subtree: string): Promise<void> {
  await mkdir(join(root, path), { recursive: true })
  writeFileSync(join(root, path, 'cgroup.procs'), '')
  writeFileSync(join(root, path, 'cgroup.subtree_control'), subtree)
}

const readSettings = (hierarchy: Hierarchy | undefined, cpus?: number): Record<string, string> =>
  Object.fromEntries(
    (hierarchy?.settings({ ...defaultLimits, ...defined({ cpus }) }) ?? []).map(
      ({ file, value }) => [file, value],
    ),
  )

describe('cgroup v2', () => {
  const mountInfo = (): string => mount('cgroup2', 'nsdelegate')

  test('creates groups below the nearest parent that delegates memory and pids', async () => {
    await createGroup('user.slice/app.slice/own.scope', '')
    await createGroup('user.slice/app.slice', 'cpu memory pids')
    // The kernel rejects this write for a group with processes; a plain file would accept it.
    await rm(join(root, 'user.slice/app.slice/own.scope/cgroup.subtree_control'))
    const ownGroups = '0::/user.slice/app.slice/own.scope\n'
    const [found, ...others] = readHierarchies({ mountInfo: mountInfo(), ownGroups })
    expect(others).toEqual([])
    expect(found?.folder).toBe(join(root, 'user.slice/app.slice'))
    expect(readSettings(found)).toEqual({
      'pids.max': `${defaultLimits.processes}`,
      'memory.max': `${defaultLimits.memoryBytes}`,
      'memory.swap.max': '0',
    })
    expect(readSettings(found, 1.5)).toMatchObject({ 'cpu.max': '150000 100000' })
  })

  test('enables missing controllers in its own group', async () => {
    await createGroup('own', 'cpu')
    const [found] = readHierarchies({ mountInfo: mountInfo(), ownGroups: '0::/own\n' })
    expect(readFileSync(join(root, 'own/cgroup.subtree_control'), 'utf8')).toBe('+memory +pids')
    // The kernel would now list both controllers; a plain file contains what was written.
    expect(found).toBeUndefined()
  })

  test('reports which limit was exceeded', async () => {
    await createGroup('own', 'memory pids')
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

describe('cgroup v1', () => {
  test('has a hierarchy for each controller', async () => {
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
    expect(readSettings(found[0])).toEqual({ 'pids.max': '1024' })
  })

  test('uses the freezer of a v2 hierarchy that has no controllers', () => {
    const found = readHierarchies({
      mountInfo: mount('cgroup', 'pids') + mount('cgroup2', 'nsdelegate'),
      ownGroups: '3:pids:/\n0::/\n',
    })
    expect(found.map(({ controllers }) => controllers)).toEqual([['pids'], ['freezer']])
  })

  test('starts at the root of the container inside a container', async () => {
    const at = join(root, 'with space')
    await mkdir(join(at, 'own'), { recursive: true })
    const ownGroups = '3:pids:/docker/abc/own\n'
    const read = (from: string): readonly Hierarchy[] =>
      readHierarchies({ mountInfo: mount('cgroup', 'pids', at, from), ownGroups })
    expect(read('/docker/abc')[0]?.folder).toBe(join(at, 'own'))
    expect(read('/elsewhere')[0]?.folder).toBe(at)
  })
})

describe('control groups', () => {
  test('are unavailable without both limits, or where they cannot be created', () => {
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
    // A folder that can be created but has no limit files.
    expect(openCgroups([one(root, ['memory', 'pids'])])).toBeUndefined()
  })

  const cgroups = openCgroups()

  test.skipIf(cgroups === undefined)('have a freezer if requested', async () => {
    const create = (name: string, canFreeze: boolean): Cgroup | undefined => {
      const one = cgroups?.create(`${createMark().own}${name}`, defaultLimits, { canFreeze })
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
    expect(create('a', true)?.freezer !== undefined).toBe(hasFreezer)
    const freezer = create('b', true)?.freezer
    freezer?.freeze()
    expect(freezer?.isFrozen() ?? true).toBe(true)
    freezer?.thaw()
    expect(freezer?.isFrozen() ?? false).toBe(false)
  })

  // Where groups cannot be created there are none to remove.
  test.skipIf(cgroups === undefined)('of ended processes are removed, others stay', async () => {
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
