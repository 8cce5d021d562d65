import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findToolchains, isWithin } from './toolchains.ts'

let home: string
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-home-')))
})
afterEach(() => rm(home, { recursive: true, force: true }))

const make = (path: string): Promise<unknown> => mkdir(join(home, path), { recursive: true })
const find = (path: string, node = '/usr/bin/node'): ReturnType<typeof findToolchains> =>
  findToolchains({ home, path, node })

test('programs of version managers are mounted, and the files beside them are not', async () => {
  for (const folder of [
    '.nvm/versions/node/v20',
    '.cargo/bin',
    '.rustup',
    '.ssh',
    '.pyenv/shims',
  ]) {
    await make(folder)
  }
  await writeFile(join(home, '.cargo', 'credentials.toml'), 'key')
  const { mounts, env } = find(`${home}/.cargo/bin:${home}/.pyenv/shims:/usr/bin`)
  const own = mounts.filter((mount) => isWithin(mount, home))
  expect(own.toSorted()).toEqual(
    ['.cargo/bin', '.nvm/versions', '.pyenv', '.rustup'].map((path) => join(home, path)),
  )
  expect(env).toMatchObject({ RUSTUP_HOME: `${home}/.rustup`, PYENV_ROOT: `${home}/.pyenv` })
  expect(env['PATH']).toMatch(`${home}/.cargo/bin:${home}/.pyenv/shims:`)
})

test('the PATH inside omits folders that are not mounted', async () => {
  await make('bin')
  const { mounts, env } = find(`${home}/bin:./node_modules/.bin:/usr/bin:/somewhere/bin`)
  expect(mounts.some((mount) => isWithin(mount, home))).toBe(false)
  expect(env['PATH']).not.toContain(home)
  expect(env['PATH']).not.toContain('node_modules')
  expect(env['PATH']).not.toContain('/somewhere')
  expect(env['PATH']?.split(':')).toContain('/usr/bin')
})

test('the Node of this process is mounted with its installation folder', async () => {
  for (const folder of ['n/bin', 'n/include/node', 'n/lib/node_modules']) await make(folder)
  const node = join(home, 'n', 'bin', 'node')
  await writeFile(node, '')
  const { mounts, env } = find('/usr/bin', node)
  expect(mounts).toContain(join(home, 'n'))
  expect(env['PATH']?.split(':')[0]).toBe(join(home, 'n', 'bin'))
})

test('a Node in a folder with other files is mounted alone', async () => {
  await make('bin')
  const node = join(home, 'bin', 'node')
  await writeFile(node, '')
  const { mounts } = find('/usr/bin', node)
  expect(mounts).toContain(node)
  expect(mounts).not.toContain(home)
  expect(mounts).not.toContain(join(home, 'bin'))
})

test('a Node that was installed into the home directory does not expose it', async () => {
  for (const folder of ['bin', 'include/node', 'lib/node_modules']) await make(folder)
  const node = join(home, 'bin', 'node')
  await writeFile(node, '')
  expect(find('/usr/bin', node).mounts).not.toContain(home)
})

test('private keys of the system are not mounted', () => {
  const { mounts } = find('/usr/bin')
  expect(mounts).not.toContain('/etc')
  expect(mounts).not.toContain('/etc/ssl')
  expect(mounts.some((mount) => isWithin('/etc/ssl/private', mount))).toBe(false)
  expect(mounts.some((mount) => isWithin('/etc/shadow', mount))).toBe(false)
})

test('isWithin compares path components, not string prefixes', () => {
  expect(isWithin('/a/b', '/a')).toBe(true)
  expect(isWithin('/a', '/a')).toBe(true)
  expect(isWithin('/ab', '/a')).toBe(false)
  expect(isWithin('/a/..b', '/a')).toBe(true)
  expect(isWithin('/', '/a')).toBe(false)
})

test('programs are found in the order of the PATH, even before those beside Node', async () => {
  await make('.cargo/bin')
  const { env } = find(`${home}/.cargo/bin:/usr/bin`, '/usr/bin/node')
  expect(env['PATH']?.split(':').slice(0, 2)).toEqual([`${home}/.cargo/bin`, '/usr/bin'])
})

test('a version manager is mounted where its variable points, but never the home directory', async () => {
  await make('toolchains')
  await make('.pyenv')
  const variables = { RUSTUP_HOME: join(home, 'toolchains'), PYENV_ROOT: home }
  const { mounts, env } = findToolchains({
    home,
    path: '/usr/bin',
    node: '/usr/bin/node',
    variables,
  })
  expect(env).toMatchObject({ RUSTUP_HOME: `${home}/toolchains`, PYENV_ROOT: `${home}/.pyenv` })
  expect(mounts).toContain(`${home}/toolchains`)
  expect(mounts).not.toContain(home)
})
