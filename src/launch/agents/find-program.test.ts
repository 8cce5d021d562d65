import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fetchedFolder, findAgentProgram, requireAgentProgram } from './find-program.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-find-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const toy = { name: 'toy', package: { name: '@made/toy-ai', version: '1.2.3' } }
const find = (path = '') =>
  findAgentProgram(toy, { folder: join(folder, 'state'), environment: { PATH: path } })

function write(path: string, text: string, mode = 0o644): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

/** Installs a package as npm does. */
function install(modules: string, text: string, version = '1.2.0'): void {
  write(join(modules, '@made/toy-ai/bin/toy.exe'), text, 0o755)
  const manifest = { name: '@made/toy-ai', version }
  write(join(modules, '@made/toy-ai/package.json'), JSON.stringify(manifest))
  mkdirSync(join(modules, '.bin'), { recursive: true })
  symlinkSync('../@made/toy-ai/bin/toy.exe', join(modules, '.bin/toy'))
}

const script = '#!/bin/sh\nexit 0\n'
const fetched = (): string => join(fetchedFolder(join(folder, 'state'), 'toy'), 'node_modules')

describe('an agent program', () => {
  test('is found on the PATH first, with the version of its package', () => {
    install(join(folder, 'node_modules'), script)
    install(fetched(), script, '9.9.9')
    const path = join(folder, 'node_modules/.bin')
    expect(find(`relative:${path}`)).toEqual({
      path: join(path, 'toy'),
      from: 'path',
      command: [join(path, 'toy')],
      version: '1.2.0',
    })
    expect(find()).toMatchObject({ from: 'fetched', version: '9.9.9' })
  })

  test('without a package has no version', () => {
    write(join(folder, 'bin/toy'), script, 0o755)
    write(join(folder, 'package.json'), JSON.stringify({ name: 'another', version: '5.0.0' }))
    expect(find(join(folder, 'bin'))).not.toHaveProperty('version')
  })

  test('is not found if it is not executable or not in a bin folder', () => {
    write(join(folder, 'bin/toy'), script)
    expect(find(join(folder, 'bin'))).toBeUndefined()
    expect(find('.')).toBeUndefined()
    const at = { folder, environment: {} }
    expect(() => requireAgentProgram(toy, at)).toThrow(
      'Install @made/toy-ai, or fetch version 1.2.3 with: loopctl agents add toy',
    )
  })

  test('whose package contains a placeholder is found in the package for this platform', () => {
    install(fetched(), 'echo run the postinstall script first\n')
    expect(find()).toBeUndefined()
    const platform = `${process.platform}-${process.arch}`
    const binary = join(fetched(), `@made/toy-${platform}/bin/toy`)
    write(binary, script, 0o755)
    const version = '1.2.0'
    expect(find()).toMatchObject({ command: [binary], version, path: join(fetched(), '.bin/toy') })
  })

  test.each([
    ['no JSON', '{'],
    ['an invalid version', '{"name":"@made/toy-ai","version":"1; rm"}'],
    ['nothing to read', ''],
  ])('whose package has %s has no version', (_what, manifest) => {
    install(fetched(), script)
    write(join(fetched(), '@made/toy-ai/package.json'), manifest)
    expect(find()).not.toHaveProperty('version')
  })
})

describe('an agent program of the project', () => {
  const look = (at: { projectFolders?: readonly string[]; isUnsandboxed?: boolean }) =>
    findAgentProgram(toy, {
      folder: join(folder, 'state'),
      environment: {
        PATH: [join(folder, 'work/node_modules/.bin'), join(folder, 'bin')].join(':'),
      },
      ...at,
    })

  test('is ignored if it is in a workspace, by its path or by the target of its link', () => {
    install(join(folder, 'work/node_modules'), script)
    expect(look({})).toMatchObject({ from: 'path' })
    expect(look({ projectFolders: [join(folder, 'work')] })).toBeUndefined()
    mkdirSync(join(folder, 'bin'))
    symlinkSync(join(folder, 'work/node_modules/.bin/toy'), join(folder, 'bin/toy'))
    expect(look({ projectFolders: [join(folder, 'work')] })).toBeUndefined()
  })

  test('is ignored for a run without a sandbox, as are those of parent folders', () => {
    install(join(folder, 'work/node_modules'), script)
    const projectFolders = [join(folder, 'work/packages/one')]
    expect(look({ projectFolders })).toMatchObject({ from: 'path' })
    expect(look({ projectFolders, isUnsandboxed: true })).toBeUndefined()
    const elsewhere = write(join(folder, 'bin/toy'), script, 0o755)
    expect(look({ projectFolders, isUnsandboxed: true })).toMatchObject({ path: elsewhere })
  })
})
