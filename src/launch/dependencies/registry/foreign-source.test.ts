// Packages from git and from URLs: those that are pinned can be approved, and then have an endpoint URL.

import { describe, expect, test } from 'vitest'
import { parseForeign, sourceId, sourceUrl } from './foreign-source.ts'
import { readNpmLockfile } from './npm-lockfile.ts'
import { readYarnLockfile } from './yarn-lockfile.ts'

const commit = '0123456789abcdef0123456789abcdef01234567'
const registry = 'https://registry.example/'
const toEndpointUrl = (url: string): string | undefined =>
  url.startsWith(registry) ? `http://ours/${url.slice(registry.length)}` : undefined

test.each([
  [`git+https://h.example/x/a.git#${commit}`, `git+https://h.example/x/a.git#${commit}`],
  [`git+ssh://git@h.example/x/a.git#${commit}`, `git+ssh://git@h.example/x/a.git#${commit}`],
  [`git+ssh://git@h.example:x/a.git#${commit}`, `git+ssh://git@h.example/x/a.git#${commit}`],
  [`git@h.example:x/a.git#${commit}`, `git+ssh://git@h.example/x/a.git#${commit}`],
  [`git://h.example/x/a.git#${commit}`, `git+https://h.example/x/a.git#${commit}`],
  [`github:x/a#${commit}`, `git+https://github.com/x/a.git#${commit}`],
  [`https://h.example/a.git#commit=${commit}`, `git+https://h.example/a.git#${commit}`],
  ['https://h.example/a.tgz', 'https://h.example/a.tgz'],
  ['git+https://h.example/x/a.git#main', undefined],
  [`git+https://me:secret@h.example/x/a.git#${commit}`, undefined],
  [`git+file:///etc/a.git#${commit}`, undefined],
  [`git+ext::sh -c touch% x#${commit}`, undefined],
  [`ssh://-oProxyCommand=x/a.git#${commit}`, undefined],
  [`git+ssh://-oProxyCommand=x@h/a.git#${commit}`, undefined],
  ['https://me:secret@h.example/a.tgz', undefined],
  ['ftp://h.example/a.tgz', undefined],
])('%s is %s', (source, id) => {
  const found = parseForeign('a', source)
  expect(found && sourceId(found)).toBe(id)
})

describe('npm', () => {
  const read = (packages: object) =>
    readNpmLockfile(JSON.stringify({ lockfileVersion: 3, packages }), toEndpointUrl)

  test('a commit and a URL can be approved: the lockfile and the manifests then name the archive at the endpoint', () => {
    const { text, foreign, approvable, replaceRange } = read({
      '': { dependencies: { a: 'x/a', b: 'https://b.example/b.tgz', c: '^1.0.0' } },
      'node_modules/a': { resolved: `git+ssh://git@github.com/x/a.git#${commit}`, integrity: 'z' },
      'node_modules/b': { resolved: 'https://b.example/b.tgz', integrity: 'sha512-b' },
      'node_modules/c': { resolved: `${registry}c.tgz`, dependencies: { a: 'github:x/a' } },
    })
    expect(foreign).toEqual([])
    expect(approvable.map(sourceId)).toEqual([
      `git+ssh://git@github.com/x/a.git#${commit}`,
      'https://b.example/b.tgz#sha512-b',
    ])
    const [a, b] = approvable.map(sourceUrl)
    expect(JSON.parse(text).packages).toEqual({
      '': { dependencies: { a, b, c: '^1.0.0' } },
      'node_modules/a': { resolved: a },
      'node_modules/b': { resolved: b, integrity: 'sha512-b' },
      'node_modules/c': { resolved: 'http://ours/c.tgz', dependencies: { a } },
    })
    expect(replaceRange?.('a', 'x/a')).toBe(a)
    expect(replaceRange?.('a', '^1.0.0')).toBeUndefined()
  })

  test('a package from two URLs is refused', () => {
    const { foreign } = read({
      'node_modules/a': { resolved: 'https://b.example/1.tgz' },
      'node_modules/b/node_modules/a': { resolved: 'https://b.example/2.tgz' },
    })
    expect(foreign).toEqual(['a (from more than one repository or address)'])
  })
})

describe('Yarn', () => {
  test('1: an approvable package gets the endpoint URL in all three places', () => {
    const { text, foreign, approvable, replaceRange } = readYarnLockfile(
      `# yarn lockfile v1

a@^1.0.0:
  version "1.1.0"
  resolved "${registry}a/-/a-1.1.0.tgz#abc"
  dependencies:
    "@s/b" "x/b"
    d "^1.0.0"

"@s/b@git+https://github.com/x/b.git", "@s/b@x/b":
  version "1.0.0"
  resolved "git+https://github.com/x/b.git#${commit}"

e@https://e.example/e.tgz:
  version "1.0.0"
  resolved "https://e.example/e.tgz#${commit}"
`,
      toEndpointUrl,
    )
    expect(foreign).toEqual([])
    const [b, e] = approvable.map(sourceUrl)
    expect(approvable[1]).toMatchObject({ integrity: expect.stringMatching(/^sha1-/) })
    expect(text).toContain(`    "@s/b" "${b}"\n    d "^1.0.0"\n`)
    expect(text).toContain(`"@s/b@${b}":\n  version "1.0.0"\n  resolved "${b}"\n`)
    expect(text).toContain(`"e@${e}":\n`)
    expect(replaceRange?.('@s/b', 'x/b')).toBe(b)
    expect(replaceRange?.('d', '^1.0.0')).toBeUndefined()
  })
})
