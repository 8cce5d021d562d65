// Go with a module proxy of the operator, filled from Debian's golang-*-dev packages.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Files } from '../installs/attack.ts'
import { hasDebian } from '../installs/debian.ts'
import { makeGoProxy } from '../installs/go-proxy.ts'
import { pathWith } from '../installs/managers.ts'
import { filesBelow } from '../installs/stage.ts'
import {
  basic,
  certify,
  ended,
  expectNoSecret,
  noSecretInside,
  openScene,
  said,
  secret,
  serve,
  withLogin,
} from './operator-scene.ts'

describe('Go', () => {
  const isHere = hasDebian(
    ['golang-go', 'golang-github-spf13-pflag-dev', 'golang-github-pkg-errors-dev'],
    ['/usr/bin/go', '/usr/share/gocode/src/github.com/spf13/pflag'],
  )
  const modules = [
    { path: 'github.com/pkg/errors', version: 'v0.9.1' },
    { path: 'github.com/spf13/pflag', version: 'v1.0.6' },
  ]
  const path = pathWith('go') ?? ''
  const check = `${noSecretInside} && go test ./...`
  const project = (sums: string): Files => ({
    'go.mod': `module example.com/t\n\ngo 1.19\n\nrequire (\n${modules.map((one) => `\t${one.path} ${one.version}\n`).join('')})\n`,
    'go.sum': sums,
    't.go':
      'package t\n\nimport (\n\t"github.com/pkg/errors"\n\t"github.com/spf13/pflag"\n)\n\nfunc Wrap(text string) string {\n\tflags := pflag.NewFlagSet("t", pflag.ContinueOnError)\n\treturn errors.New(text + flags.Arg(0)).Error()\n}\n',
    't_test.go':
      'package t\n\nimport "testing"\n\nfunc TestWrap(t *testing.T) {\n\tif Wrap("a") != "a" {\n\t\tt.Fatal("not wrapped")\n\t}\n}\n',
  })

  test.skipIf(!isHere)(
    'gets modules from a GOPROXY in a folder',
    async () => {
      const scene = openScene()
      const sums = makeGoProxy(scene.registry, modules)
      const env = { GOPROXY: `file://${scene.registry}` }
      const result = await certify(scene, project(sums), check, { path, env })
      expect(ended(result)).toMatch(/^0 /)
    },
    300_000,
  )

  test.skipIf(!isHere).each(['no login', 'a name and a password', 'a netrc'])(
    'gets them from a GOPROXY over HTTP, with %s',
    async (login) => {
      const scene = openScene()
      const sums = makeGoProxy(scene.registry, modules)
      const server = await serve(scene.registry, login === 'no login' ? undefined : basic)
      const GOPROXY = login === 'a name and a password' ? withLogin(server.url) : server.url
      const netrc = `machine 127.0.0.1\nlogin operator\npassword ${secret}\n`
      const home: Files = login === 'a netrc' ? { '.netrc': netrc } : {}
      const result = await certify(scene, project(sums), check, { path, env: { GOPROXY }, home })
      expect(ended(result)).toMatch(/^0 /)
      expect(server.served).toContain('/github.com/spf13/pflag/@v/v1.0.6.zip')
      expectNoSecret(scene)
    },
    300_000,
  )

  test.skipIf(!isHere)(
    'gets them from the vendor folder of the commit',
    async () => {
      const scene = openScene()
      const sums = makeGoProxy(scene.registry, modules)
      const made = join(scene.folder, 'made')
      for (const [name, content] of Object.entries(project(sums))) {
        mkdirSync(made, { recursive: true })
        writeFileSync(join(made, name), content as string)
      }
      const env = {
        PATH: path,
        HOME: scene.home,
        GOPROXY: `file://${scene.registry}`,
        GOFLAGS: '-modcacherw',
      }
      execFileSync('go', ['mod', 'vendor'], { cwd: made, env: { ...env, GOSUMDB: 'off' } })
      const files = filesBelow(made).map((file) => [
        relative(made, file),
        readFileSync(file, 'utf8'),
      ])
      const result = await certify(scene, Object.fromEntries(files), check, { path })
      expect(ended(result)).toMatch(/^0 /)
    },
    300_000,
  )

  test.skipIf(!isHere)(
    'refuses other bytes than in go.sum, and fails without a login',
    async () => {
      const scene = openScene()
      const sums = makeGoProxy(scene.registry, modules)
      const other = sums.replace(/h1:..../, 'h1:AAAA')
      const env = { GOPROXY: `file://${scene.registry}` }
      const result = await certify(scene, project(other), check, { path, env })
      expect(result.exitCode).not.toBe(0)
      expect(said(result)).toMatch(/checksum mismatch/)
      const closed = openScene()
      makeGoProxy(closed.registry, modules)
      const server = await serve(closed.registry, basic)
      const asked = await certify(closed, project(sums), check, {
        path,
        env: { GOPROXY: server.url },
      })
      expect(asked.exitCode).not.toBe(0)
      expect(said(asked)).toMatch(/answered 401/)
    },
    300_000,
  )
})
