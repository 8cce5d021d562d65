// A clean checkout with real git, npm and bubblewrap. Packages come from tarballs in the
// repository: no network.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgents } from '../src/agents/index.ts'
import type { CommandResult } from '../src/engine/index.ts'
import { type CertificationCheckout, RefusedError } from '../src/evidence/index.ts'
import { openCertifyingCheckout } from '../src/launch/certify/open-certifying-checkout.ts'
import { type ContentDigest, listContent } from '../src/launch/dependencies/list-content.ts'
import { openRunSandbox } from '../src/launch/open-sandbox.ts'
import { type OpenedSandbox } from '../src/launch/opened-sandbox.ts'
import type { TreeId } from '../src/loop/index.ts'
import type { SandboxSettings } from '../src/protocol/index.ts'
import { memoryBlobs } from '../src/testing/memory-blobs.ts'
import { createTreeReader } from '../src/workspace/tree-reader.ts'
import { createGitFixture, type GitFixture } from './workspace/git-fixture.ts'

let fixture: GitFixture
let record: string
let places: CertificationCheckout[]
/** By the path of their checkout. */
const sandboxes = new Map<string, OpenedSandbox>()
beforeEach(() => {
  fixture = createGitFixture()
  record = join(fixture.folder, 'record')
  places = []
  pack('dep', {
    'index.js': "module.exports = 'dep 1'\n",
    'bin.js': '#!/usr/bin/env node\nconsole.log("ran dep")\n',
  })
  writeProject()
  fixture.write('.gitignore', 'node_modules\n')
  fixture.write('use.js', "console.log(require('dep'), require('inner'))\n")
  fixture.write('packages/inner/package.json', '{"name":"inner","version":"1.0.0","main":"i.js"}')
  fixture.write('packages/inner/i.js', "module.exports = 'inner of the tree'\n")
  fixture.commitAll()
})
afterEach(async () => {
  for (const place of places) await place.close()
  fixture.remove()
})

/** A package as npm packs it, with a script that must never run. */
function pack(name: string, files: Readonly<Record<string, string>>): void {
  const folder = join(fixture.folder, 'packing', 'package')
  mkdirSync(folder, { recursive: true })
  const manifest = {
    name,
    version: '1.0.0',
    bin: { [name]: 'bin.js' },
    scripts: { install: `touch ${fixture.marker}` },
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content)
  mkdirSync(join(fixture.checkout, 'vendor'), { recursive: true })
  const tarball = join(fixture.checkout, 'vendor', `${name}.tgz`)
  execFileSync('tar', ['-czf', tarball, '-C', join(fixture.folder, 'packing'), 'package'])
}

function writeProject(
  dependencies: Readonly<Record<string, string>> = { dep: 'file:vendor/dep.tgz' },
): void {
  const manifest = { name: 'project', version: '1.0.0', workspaces: ['packages/*'], dependencies }
  const packages = {
    '': manifest,
    'node_modules/dep': {
      version: '1.0.0',
      resolved: 'file:vendor/dep.tgz',
      bin: { dep: 'bin.js' },
      hasInstallScript: true,
    },
    'node_modules/inner': { resolved: 'packages/inner', link: true },
    'packages/inner': { version: '1.0.0' },
  }
  fixture.write('package.json', JSON.stringify(manifest))
  fixture.write(
    'package-lock.json',
    JSON.stringify({
      name: 'project',
      version: '1.0.0',
      lockfileVersion: 3,
      requires: true,
      packages,
    }),
  )
}

const treeOf = (commit: string): TreeId =>
  `git:${fixture.git('rev-parse', `${commit}^{tree}`).trim()}` as TreeId

async function open(
  options: { base?: string; dependencies?: 'install' | 'carry' | 'none' } = {},
): Promise<CertificationCheckout> {
  const repository = await fixture.repository()
  const blobs = memoryBlobs()
  const place = await openCertifyingCheckout(
    {
      tree: treeOf('HEAD'),
      commit: fixture.git('rev-parse', 'HEAD').trim(),
      lockfileTree: treeOf(options.base ?? 'HEAD'),
      signal: new AbortController().signal,
    },
    {
      reader: createTreeReader({ blobs, folder: record, repository }),
      blobs,
      stateFolder: record,
      repository,
      workspace: fixture.checkout,
      certifying: {
        certify: {
          dependencies: options.dependencies ?? 'install',
          installScripts: [],
          require: 'work-alone',
          quick: false,
          consult: [],
          deadlineMs: 1000,
        },
        require: 'strong',
        async open({ workspace, ...folder }) {
          const settings: SandboxSettings = { readOnly: [], hide: [], network: [], limits: {} }
          const sandbox = await openRunSandbox(
            { settings, base: fixture.checkout, workspace },
            { ...folder, folder: record, workspace },
          )
          sandboxes.set(workspace, sandbox)
          return {
            checks: [],
            agents: createAgents({}),
            sandbox: sandbox.summary,
            close: () => sandbox.close(),
          }
        },
      },
    },
  )
  places.push(place)
  return place
}

const run = (
  place: CertificationCheckout,
  program: string,
  ...args: readonly string[]
): Promise<CommandResult> =>
  required(sandboxes.get(place.checkout.path))
    .commandsFor([program, ...args])
    .run({ program, args, cwd: place.checkout.path }, new AbortController().signal)

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('It is not there.')
  return value
}

const layersIn = (): readonly string[] =>
  readdirSync(join(record, 'layers')).filter((name) => /^[0-9a-f-]{36}$/.test(name))

/** The one of the layer, from outside. */
const depIn = (): string => join(record, 'layers', layersIn()[0] ?? '', 'node_modules/dep/index.js')

test('checks see the locked dependencies of the base and the tree, and nothing that an agent left', async () => {
  // What an agent could have done to the place where it works.
  mkdirSync(join(fixture.checkout, 'node_modules/dep'), { recursive: true })
  writeFileSync(join(fixture.checkout, 'node_modules/dep/index.js'), "module.exports = 'planted'\n")
  const base = fixture.git('rev-parse', 'HEAD').trim()
  pack('dep', { 'index.js': "module.exports = 'dep of the candidate'\n" })
  writeProject({ dep: 'file:vendor/dep.tgz', other: 'file:vendor/none.tgz' })
  fixture.write('packages/inner/i.js', "module.exports = 'inner of the candidate'\n")
  fixture.commitAll()
  const place = await open({ base })
  expect(place.layer).toMatchObject({ from: 'installed', summary: 'npm, 2 packages' })
  expect((await run(place, 'node', 'use.js')).stdout).toBe('dep 1 inner of the candidate\n')
  // By its name: programs of the layer come first.
  expect((await run(place, 'dep')).stdout).toBe('ran dep\n')
  expect((await run(place, 'git', 'status', '--porcelain')).stdout).toBe('')
  expect((await run(place, 'git', 'log', '--format=%s')).stdout).toBe('work\nwork\nfirst\n')
  expect(fixture.wasRun()).toBe(false)
})

test('hostile checks change neither the layer nor later checks', async () => {
  const place = await open()
  const { path } = place.checkout
  const script = `
    fail() { echo "wrote $1"; }
    layer=$(echo ${record}/layers/*/node_modules)
    for modules in node_modules $layer; do
      echo x > $modules/dep/index.js && echo x > $modules/dep/new.js || echo "not writable"
      echo x > $modules/.cache/x && mkdir $modules/.vite-new || echo "no cache"
      chmod -R 777 $modules; rm -rf $modules/dep/bin.js; mv $modules/dep $modules/moved
    done 2>/dev/null
    (mv node_modules elsewhere) 2>/dev/null && fail moved
    (ln $layer/moved/index.js linked) 2>/dev/null && fail linked
    (echo x > .git/HEAD) 2>/dev/null && fail git
    (touch "$(readlink -f "$PWD")/../planted") 2>/dev/null
    rm -rf use.js packages; ln -s /etc packages; mkdir -p node_modules.d; chmod 000 node_modules.d
    i=0; while [ $i -lt 500 ]; do echo x > f$i; i=$((i+1)); done
    nohup sh -c 'sleep 1; echo late > use.js; sleep 600' >/dev/null 2>&1 &
    setsid sh -c 'while :; do echo x > use.js; done' >/dev/null 2>&1 &
    echo done`
  const content = (): Promise<ContentDigest> => listContent(join(record, 'layers'), ['.'], 'times')
  const before = await content()
  // The second time they are the same folders.
  expect((await run(place, 'sh', '-c', script)).stdout).toBe('not writable\nno cache\ndone\n')
  await place.checkout.reset(treeOf('HEAD'))
  expect(readdirSync(path).toSorted()).toEqual([
    '.git',
    '.gitignore',
    'a.txt',
    'node_modules',
    'package-lock.json',
    'package.json',
    'packages',
    'use.js',
    'vendor',
  ])
  // What is being removed beside later checks has a name that begins with trash-.
  const beside = readdirSync(join(path, '..')).filter((name) => !name.startsWith('trash-'))
  expect(beside.toSorted()).toEqual(['git', 'overlay', 'owner', 'trash', 'tree', 'writes'])
  expect(await content()).toEqual(before)
  const after = await run(place, 'sh', '-c', 'node use.js; ls node_modules/.cache node_modules')
  expect(after.stdout).toBe(
    'dep 1 inner of the tree\nnode_modules:\ndep\ninner\n\nnode_modules/.cache:\n',
  )
  await place.close()
  places = []
  expect(readdirSync(join(record, 'certify'))).toEqual([])
})

test('a layer is created once, and recreated if it was changed', async () => {
  const first = await open()
  const [made] = layersIn()
  expect((await open()).layer.digest).toBe(first.layer.digest)
  expect(layersIn()).toEqual([made])
  // Touched and not changed: looked at byte by byte, and used.
  chmodSync(depIn(), 0o600)
  chmodSync(depIn(), 0o644)
  await open()
  expect(layersIn()).toEqual([made])
  writeFileSync(depIn(), "module.exports = 'bad 1'\n")
  const place = await open()
  expect(layersIn()).not.toEqual([made])
  expect(place.layer.digest).toBe(first.layer.digest)
  expect((await run(place, 'node', 'use.js')).stdout).toBe('dep 1 inner of the tree\n')
})

test('concurrent callers create one layer', async () => {
  const [one, two] = await Promise.all([open(), open()])
  expect(one?.layer.digest).toBe(two?.layer.digest)
  expect(layersIn()).toHaveLength(1)
})

test('a failed install is a refusal with the reason of the manager and what to do', async () => {
  fixture.write('package-lock.json', '{"lockfileVersion":3,"packages":{"":{"name":"project"}}}')
  fixture.commitAll()
  const error = await open().catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(RefusedError)
  expect(error).toMatchObject({ refusal: { code: 'dependencies' } })
  expect(String(error)).toMatch(/npm ci[^]*dependencies: carry[^]*npm error/)
  expect(layersIn()).toEqual([])
  expect(existsSync(join(record, 'certify'))).toBe(false)
})

test('dependencies are carried over, or left out, if the loop file says so', async () => {
  mkdirSync(join(fixture.checkout, 'node_modules/dep'), { recursive: true })
  writeFileSync(join(fixture.checkout, 'node_modules/dep/index.js'), "module.exports = 'mine'\n")
  symlinkSync('../packages/inner', join(fixture.checkout, 'node_modules/inner'))
  const carried = await open({ dependencies: 'carry' })
  expect(carried.layer).toMatchObject({ from: 'carried', summary: 'carried over: node_modules' })
  expect((await run(carried, 'node', 'use.js')).stdout).toBe('mine inner of the tree\n')
  await open({ dependencies: 'carry' })
  expect(layersIn()).toHaveLength(1)
  const none = await open({ dependencies: 'none' })
  expect(none.layer).toMatchObject({ from: 'none', digest: 'none' })
  expect((await run(none, 'node', 'use.js')).exitCode).toBe(1)
  rmSync(join(fixture.checkout, 'node_modules'), { recursive: true })
  expect((await open({ dependencies: 'carry' })).layer.from).toBe('none')
})
