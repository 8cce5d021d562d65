import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { findCommandMounts, findProgramMounts } from './program-mounts.ts'

let home: string
let cwd: string
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-home-')))
  cwd = join(home, 'work')
  await mkdir(cwd)
})
afterEach(() => rm(home, { recursive: true, force: true }))

async function program(path: string): Promise<string> {
  const file = join(home, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '#!/bin/sh\n')
  await chmod(file, 0o755)
  return file
}

async function link(path: string, target: string): Promise<string> {
  const file = join(home, path)
  await mkdir(dirname(file), { recursive: true })
  await symlink(target, file)
  return file
}

const findMounts = (name: string, path = `${home}/tools/bin:/usr/bin`): readonly string[] =>
  findProgramMounts(name, { cwd, path, home, node: '/usr/bin/node' })

describe('the mounts of a program', () => {
  test('are only its file, in a folder with other programs', async () => {
    const file = await program('tools/bin/agent')
    await program('tools/bin/other')
    expect(findMounts('agent')).toEqual([file])
    expect(findMounts('../tools/bin/agent')).toEqual([file])
    expect(findMounts(file)).toEqual([file])
  })

  test('are the symlink and its target', async () => {
    const file = await program('.local/share/agent/versions/2.1')
    const found = await link('tools/bin/agent', file)
    expect(findMounts('agent')).toEqual([found, file])
  })

  test('are all packages that it was installed with', async () => {
    const modules = 'lib/node_modules'
    const file = await program(`${modules}/@scope/agent/bin/cli.js`)
    const found = await link('tools/bin/agent', file)
    await program(`${modules}/@scope/agent/node_modules/dep/index.js`)
    expect(findMounts('agent')).toEqual([found, join(home, modules)])
    const store = await program('app/node_modules/.pnpm/a@1/node_modules/a/cli.js')
    const linked = await link('app/node_modules/.bin/a', store)
    expect(findMounts('../app/node_modules/.bin/a')).toEqual([
      linked,
      join(home, 'app/node_modules'),
    ])
  })

  test('include each file in the arguments, but no folder', async () => {
    const script = await program('agents/mine.mjs')
    await program('notes/a.txt')
    const search = { cwd, path: '', home, node: '/usr/bin/node' }
    const command = ['/usr/bin/node', script, '../agents/mine.mjs', join(home, 'notes'), 'mine.mjs']
    expect(findCommandMounts(command, search)).toEqual([script])
  })

  test('are its whole Python environment', async () => {
    const file = await program('venvs/agent/bin/agent')
    await writeFile(join(home, 'venvs/agent/pyvenv.cfg'), '')
    const found = await link('tools/bin/agent', file)
    expect(findMounts('agent')).toEqual([found, join(home, 'venvs/agent')])
  })

  test('are empty if it is visible already: the system, version managers, the workspace', async () => {
    expect(findMounts('sh')).toEqual([])
    expect(findMounts('/bin/sh')).toEqual([])
    await program('.cargo/bin/agent')
    expect(findMounts('agent', `${home}/.cargo/bin`)).toEqual([])
    await program('work/node_modules/.bin/agent')
    expect(findMounts('node_modules/.bin/agent')).toEqual([])
  })

  test('are only the part that is not visible yet', async () => {
    const file = await program('.bun/install/global/node_modules/agent/cli.js')
    await link('.bun/bin/agent', file)
    expect(findMounts('agent', `${home}/.bun/bin`)).toEqual([])
  })

  test('are empty for a path that is not a program', async () => {
    await mkdir(join(home, 'tools/bin/folder'), { recursive: true })
    await writeFile(join(home, 'tools/bin/text'), '')
    await link('tools/bin/dangling', '/nonexistent/agent')
    for (const name of ['missing', 'folder', 'text', 'dangling', '', '.', '/', '/nonexistent/x']) {
      expect(findMounts(name)).toEqual([])
    }
    await program('work/agent')
    expect(findMounts('agent', '.:relative')).toEqual([])
  })
})

describe('a symlink in the workspace is not followed', () => {
  const search = () => ({ cwd, path: '/usr/bin', home, node: '/usr/bin/node' })
  const mountsOfArgs = (...args: readonly string[]): readonly string[] =>
    findCommandMounts(['/usr/bin/node', ...args], search())

  test('from a file in the arguments', async () => {
    const secret = await program('.ssh/id_rsa')
    await program('app/node_modules/a/cli.js')
    await link('work/agent.mjs', secret)
    await link('work/main.mjs', join(home, 'app/node_modules/a/cli.js'))
    await link('work/lib', join(home, '.ssh'))
    await link('work/twice', 'agent.mjs')
    expect(mountsOfArgs('./agent.mjs', './main.mjs', 'lib/id_rsa', './twice')).toEqual([])
    expect(mountsOfArgs(join(cwd, 'agent.mjs'), `../${basename(cwd)}/lib/id_rsa`)).toEqual([])
  })

  test('from the program, however its path is written', async () => {
    const file = await program('private/agent')
    await link('work/agent', file)
    await link('work/bin', dirname(file))
    for (const name of ['./agent', 'bin/agent', join(cwd, 'agent')]) {
      expect(findMounts(name)).toEqual([])
    }
    expect(findMounts('agent', `${cwd}:${cwd}/bin`)).toEqual([])
  })

  test('through another path of the workspace, or from a symlink outside', async () => {
    const secret = await program('private/agent')
    await link('work/agent', secret)
    const alias = await link('alias', cwd)
    const outer = await link('bin/agent', join(cwd, 'agent'))
    expect(mountsOfArgs(join(alias, 'agent'), outer)).toEqual([])
    expect(findCommandMounts(['./agent', './agent'], { ...search(), cwd: alias })).toEqual([])
    expect(findMounts('agent', `${home}/bin`)).toEqual([])
  })

  test('so the search continues with the next folder', async () => {
    const file = await program('tools/bin/agent')
    await link('work/agent', await program('private/agent'))
    expect(findMounts('agent', `${cwd}:${home}/tools/bin`)).toEqual([file])
  })
})

test('a program in the workspace exposes nothing around the workspace', async () => {
  await program('work/agent')
  await writeFile(join(home, 'pyvenv.cfg'), '')
  const outer = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-other-home-')))
  onTestFinished(() => rm(outer, { recursive: true, force: true }))
  expect(
    findProgramMounts('./agent', { cwd, path: '', home: outer, node: '/usr/bin/node' }),
  ).toEqual([])
})

test('the home directory is never mounted, whatever is in it', async () => {
  const file = await program('bin/agent')
  await writeFile(join(home, 'pyvenv.cfg'), '')
  expect(findMounts('agent', `${home}/bin`)).toEqual([file])
})
