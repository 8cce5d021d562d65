// The sources of packages in each kind of lockfile: registries, the repository, and those that need an approval.

import { describe, expect, test } from 'vitest'
import { readCargoLockfile, readGoMod } from './compiled-lockfiles.ts'
import { describeSource, sourceUrl } from './foreign-source.ts'
import { isInsideRepository } from './lockfile-reading.ts'
import { readNpmLockfile } from './npm-lockfile.ts'
import { publicRegistry } from './npm-settings.ts'
import { readBunLockfile, readPnpmLockfile } from './pnpm-lockfile.ts'
import { readPoetryLockfile, readRequirements, readUvLockfile } from './python-lockfiles.ts'
import { readYarnLockfile } from './yarn-lockfile.ts'

const commit = '0123456789abcdef0123456789abcdef01234567'
const registry = 'https://registry.example/'
const toEndpointUrl = (url: string): string | undefined => {
  const known = [registry, publicRegistry].find((one) => url.startsWith(one))
  return known === undefined ? undefined : `http://ours/${url.slice(known.length)}`
}

describe('npm', () => {
  const read = (packages: object) =>
    readNpmLockfile(JSON.stringify({ lockfileVersion: 3, packages }), toEndpointUrl)

  test('a registry URL becomes an endpoint URL', () => {
    const { text, foreign } = read({
      'node_modules/a': { version: '1.0.0', resolved: `${registry}a/-/a-1.0.0.tgz` },
    })
    expect(JSON.parse(text)).toMatchObject({
      packages: { 'node_modules/a': { resolved: 'http://ours/a/-/a-1.0.0.tgz' } },
    })
    expect(foreign).toEqual([])
  })

  test('git without a commit, and version 1 of the lockfile, are refused', () => {
    const { foreign, approvable } = read({
      'node_modules/a': { resolved: 'git+ssh://git@github.com/x/a.git#abc' },
      'node_modules/@s/c': { version: 'github:x/c#1' },
    })
    expect(foreign).toEqual(['a (git+ssh://git@github.com/x/a.git#abc)', '@s/c (github:x/c#1)'])
    expect(approvable).toEqual([])
  })

  test('workspaces, links and files are paths; a comment is not', () => {
    const { paths } = read({
      'packages/a': { version: '1.0.0' },
      'node_modules/a': { resolved: 'packages/a', link: true },
      'node_modules/b': { resolved: 'file:../outside.tgz' },
      'node_modules/c': { license: 'see file:/etc/passwd' },
    })
    expect(paths).toEqual(['packages/a', '../outside.tgz'])
  })

  test('version 1 is read at all depths', () => {
    const { text, foreign } = readNpmLockfile(
      JSON.stringify({
        lockfileVersion: 1,
        dependencies: {
          a: {
            version: '1.0.0',
            resolved: `${registry}a.tgz`,
            dependencies: { b: { version: 'git+https://x/b.git' } },
          },
        },
      }),
      toEndpointUrl,
    )
    expect(text).toContain('http://ours/a.tgz')
    expect(foreign).toEqual(['b (git+https://x/b.git)'])
  })

  test('a file that is not a lockfile is a problem', () => {
    expect(readNpmLockfile('{', toEndpointUrl).problem).toBeDefined()
    expect(readNpmLockfile('[]', toEndpointUrl).problem).toBeDefined()
  })
})

describe('Yarn', () => {
  test('1: registry URLs are replaced; git sources and folders are collected', () => {
    const { text, paths, foreign } = readYarnLockfile(
      `# yarn lockfile v1

a@^1.0.0, a@^1.1.0:
  version "1.1.0"
  resolved "${registry}a/-/a-1.1.0.tgz#abc"
  integrity sha512-x

"b@git+https://github.com/x/b.git":
  version "1.0.0"
  resolved "git+https://github.com/x/b.git#123"

"c@file:../c":
  version "0.0.0"
`,
      toEndpointUrl,
    )
    expect(text).toContain('  resolved "http://ours/a/-/a-1.1.0.tgz#abc"\n')
    expect(paths).toEqual(['../c'])
    expect(foreign).toEqual(['b (git+https://github.com/x/b.git#123)'])
  })

  test('berry: protocols', () => {
    const { paths, foreign } = readYarnLockfile(
      `__metadata:
  version: 8
"a@npm:^1.0.0":
  resolution: "a@npm:1.0.0"
"b@workspace:packages/b":
  resolution: "b@workspace:packages/b"
"c@patch:a@npm%3A1.0.0#./x.patch":
  resolution: "c@patch:a@npm%3A1.0.0#./x.patch"
"d@https://evil.example/d.tgz":
  resolution: "d@https://evil.example/d.tgz"
"e@npm:1.0.0":
  resolution: "e@npm:1.0.0::__archiveUrl=https%3A%2F%2Fevil"
`,
      toEndpointUrl,
    )
    expect(paths).toEqual(['packages/b'])
    expect(foreign.map((one) => one.split(' ')[0])).toEqual([
      'd@https://evil.example/d.tgz',
      'e@npm:1.0.0',
    ])
  })
})

test('Yarn 4: a link is relative to the package that depends on it', () => {
  const { links, paths } = readYarnLockfile(
    `__metadata:
  version: 8
"a@link:../lib/a::locator=x%40workspace%3Apackages%2Fx":
  version: 0.0.0-use.local
  resolution: "a@link:../lib/a::locator=x%40workspace%3Apackages%2Fx"
"b@portal:../../../b::locator=x%40workspace%3A..%2Fx":
  version: 0.0.0-use.local
  resolution: "b@portal:../../../b::locator=x%40workspace%3A..%2Fx"
"c@link:/etc::locator=x%40workspace%3Apackages":
  version: 0.0.0-use.local
  resolution: "c@link:/etc::locator=x%40workspace%3Apackages"
`,
    toEndpointUrl,
  )
  expect(links).toEqual(['packages/lib/a', '/etc'])
  expect(paths).toEqual(['../../../b'])
})

test('pnpm: tarballs, git and folders', () => {
  const { text, paths, foreign, approvable } = readPnpmLockfile(
    `lockfileVersion: '9.0'
importers:
  .: {}
  packages/a: {}
packages:
  b@1.0.0:
    resolution: {integrity: sha512-x}
  c@1.0.0:
    resolution: {tarball: ${registry}c.tgz}
  d@1.0.0:
    resolution: {type: git, repo: https://x/d.git, commit: abc}
  e@https://e.example/e.tgz:
    resolution: {tarball: https://e.example/e.tgz}
  '@s/g@git+https://x/g.git#${commit}':
    resolution: {type: git, repo: https://x/g.git, commit: ${commit}}
  f@file:../f:
    resolution: {type: directory, directory: ../f}
`,
    toEndpointUrl,
  )
  expect(text).toContain('"tarball": "http://ours/c.tgz"')
  expect(paths).toEqual(['.', 'packages/a', '../f'])
  expect(foreign).toEqual(['d (git+https://x/d.git#abc)'])
  expect(approvable.map(describeSource)).toEqual([
    'e from https://e.example/e.tgz (the lockfile has no checksum for it)',
    `@s/g from git+https://x/g.git#${commit}`,
  ])
  for (const one of approvable) expect(text).toContain(`"tarball": "${sourceUrl(one)}"`)
})

test('Bun: registries, workspaces and the rest', () => {
  const { text, paths, foreign } = readBunLockfile(
    `{
  "lockfileVersion": 1,
  "workspaces": { "": { "name": "x", }, },
  "packages": {
    "@s/a": ["@s/a@1.0.0", "", {}, "sha512-x"],
    "b": ["b@1.0.0", "${registry}b.tgz", {}, "sha512-x"],
    "c": ["c@github:x/c#1", {}, "c"],
    "d": ["d@workspace:packages/d"],
  }
}`,
    toEndpointUrl,
  )
  expect(JSON.parse(text)).toMatchObject({
    packages: {
      '@s/a': ['@s/a@1.0.0', 'http://ours/@s/a/-/a-1.0.0.tgz', {}, 'sha512-x'],
      b: ['b@1.0.0', 'http://ours/b.tgz', {}, 'sha512-x'],
    },
  })
  expect(paths).toEqual(['.', 'packages/d'])
  expect(foreign).toEqual(['c@github:x/c#1 (github:x/c#1)'])
})

describe('Python', () => {
  test('requirements: index options are dropped, git and URLs are foreign, folders are paths', () => {
    const { text, paths, foreign } = readRequirements(
      `--index-url https://evil.example/simple
six==1.16.0 \\
  --hash=sha256:abc
-e .
./libs/a
git+https://github.com/x/y.git
z @ https://evil.example/z.whl
-r other.txt  # file:/etc/passwd
`,
    )
    expect(text).not.toContain('evil.example/simple')
    expect(text).toContain('six==1.16.0')
    expect(paths).toEqual(['./', 'libs/a', 'other.txt'].map((one) => (one === './' ? '.' : one)))
    expect(foreign).toHaveLength(2)
  })

  test('uv: every file gets an endpoint URL', () => {
    const { text, paths, foreign } = readUvLockfile(
      `version = 1
[[package]]
name = "a"
version = "1"
source = { registry = "https://registry.example/simple" }
wheels = [{ url = "${registry}a.whl", hash = "sha256:x" }]
[[package]]
name = "b"
source = { editable = "." }
[[package]]
name = "c"
source = { git = "https://x/c.git" }
`,
      toEndpointUrl,
    )
    expect(text).toContain('http://ours/a.whl')
    expect(paths).toEqual(['.'])
    expect(foreign).toEqual(['c ("https://x/c.git")'])
  })

  test('Poetry: kinds of sources', () => {
    const { paths, foreign } = readPoetryLockfile(
      `[[package]]
name = "a"
[[package]]
name = "b"
[package.source]
type = "git"
url = "https://x/b.git"
[[package]]
name = "c"
[package.source]
type = "directory"
url = "libs/c"
`,
      toEndpointUrl,
    )
    expect(paths).toEqual(['libs/c'])
    expect(foreign).toEqual(['b (https://x/b.git)'])
  })
})

test('Cargo: git and other registries are refused; a package of the workspace has no source', () => {
  const { foreign } = readCargoLockfile(
    `[[package]]
name = "own"
[[package]]
name = "fnv"
source = "registry+https://github.com/rust-lang/crates.io-index"
[[package]]
name = "x"
source = "git+https://x/x.git#1"
[[package]]
name = "y"
source = "sparse+https://y/"
`,
    (source) => source.includes('crates.io'),
  )
  expect(foreign).toEqual(['x (git+https://x/x.git#1)', 'y (sparse+https://y/)'])
})

test('Go: modules that are replaced by folders', () => {
  expect(
    readGoMod('module x\nreplace a => ../a\nreplace (\n\tb => ./b // =>/c\n)\n').paths,
  ).toEqual(['../a', 'b'])
})

test.each([
  ['packages/a', '', true],
  ['../a', 'packages/b', true],
  ['../a', '', false],
  ['../../a', 'packages', false],
  ['/etc/passwd', '', false],
])('%j from %j is inside: %j', (path, folder, isInside) => {
  expect(isInsideRepository(path, folder)).toBe(isInside)
})
