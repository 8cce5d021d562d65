// pip with a folder of wheels and with an index of the operator.

import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Files } from '../installs/attack.ts'
import { hasDebian } from '../installs/debian.ts'
import { pathWith } from '../installs/managers.ts'
import { makeWheel } from '../installs/wheels.ts'
import {
  basic,
  certify,
  ended,
  expectNoSecret,
  noSecretInside,
  type Operator,
  openScene,
  type Scene,
  said,
  secret,
  serve,
  withLogin,
} from './operator-scene.ts'

describe('Python', () => {
  const isHere = hasDebian(
    ['python3-pip', 'python3-venv'],
    ['/usr/bin/python3', '/usr/lib/python3/dist-packages/pip'],
  )
  const path = pathWith('pip') ?? ''
  const check = `${noSecretInside} && python3 -m unittest -q`
  const wheel = { name: 'local_one', version: '1.2.0', code: 'def answer():\n    return 42\n' }
  const files: Files = {
    'test_one.py':
      'import unittest\nimport local_one\n\nclass One(unittest.TestCase):\n    def test_answer(self):\n        self.assertEqual(local_one.answer(), 42)\n',
  }
  const locked = (sha256: string): Files => ({
    ...files,
    'requirements.txt': `local_one==1.2.0 \\\n    --hash=sha256:${sha256}\n`,
  })
  const settings = {
    'a variable': ({ registry }: Scene): Operator => ({
      path,
      env: { PIP_FIND_LINKS: registry, PIP_NO_INDEX: '1' },
    }),
    'pip.conf': ({ registry }: Scene): Operator => ({
      path,
      home: {
        '.config/pip/pip.conf': `[global]\nno-index = true\nfind-links =\n    ${registry}\n`,
      },
    }),
  }

  test.skipIf(!isHere).each(Object.entries(settings))(
    'gets wheels from a folder that is named in %s',
    async (_name, operator) => {
      const scene = openScene()
      const { sha256 } = makeWheel(scene.registry, wheel)
      const result = await certify(scene, locked(sha256), check, operator(scene))
      expect(ended(result)).toMatch(/^0 /)
    },
    300_000,
  )

  test.skipIf(!isHere)(
    'refuses a wheel with another checksum',
    async () => {
      const scene = openScene()
      makeWheel(scene.registry, wheel)
      const operator = settings['a variable'](scene)
      const result = await certify(scene, locked('0'.repeat(64)), check, operator)
      expect(result.exitCode).not.toBe(0)
      expect(said(result)).toMatch(/HASHES|hash/)
    },
    300_000,
  )

  test.skipIf(!isHere).each(['no login', 'a name and a password', 'a netrc'])(
    'gets wheels from an index over HTTP, with %s',
    async (login) => {
      const scene = openScene()
      const { file, sha256 } = makeWheel(join(scene.registry, 'files'), wheel)
      const page = join(scene.registry, 'simple', 'local-one')
      mkdirSync(page, { recursive: true })
      writeFileSync(
        join(page, 'index.html'),
        `<a href="../../files/${file}#sha256=${sha256}">x</a>`,
      )
      const server = await serve(scene.registry, login === 'no login' ? undefined : basic)
      const url = login === 'a name and a password' ? withLogin(server.url) : server.url
      const netrc = `machine 127.0.0.1 login operator password ${secret}\n`
      const result = await certify(scene, locked(sha256), check, {
        path,
        env: { PIP_INDEX_URL: `${url}simple/` },
        home: login === 'a netrc' ? { '.netrc': netrc } : {},
      })
      expect(ended(result)).toMatch(/^0 /)
      expect(server.served).toContain(`/files/${file}`)
      expectNoSecret(scene)
    },
    300_000,
  )

  test.skipIf(!isHere)(
    'carries over the .venv of a checkout with poetry.lock',
    async () => {
      const scene = openScene()
      const { file, sha256 } = makeWheel(scene.registry, wheel)
      const venv = join(scene.project, '.venv')
      execFileSync('/usr/bin/python3', ['-m', 'venv', venv])
      const pip = ['install', '-q', '--no-index', join(scene.registry, file)]
      execFileSync(join(venv, 'bin', 'pip'), pip)
      const poetry: Files = {
        ...files,
        '.gitignore': '.venv\n',
        'pyproject.toml':
          '[tool.poetry]\nname = "t"\nversion = "1.0.0"\ndescription = ""\nauthors = []\n\n[tool.poetry.dependencies]\npython = "*"\nlocal-one = "1.2.0"\n',
        'poetry.lock': `[[package]]\nname = "local-one"\nversion = "1.2.0"\ndescription = ""\noptional = false\npython-versions = "*"\nfiles = [\n    {file = "${file}", hash = "sha256:${sha256}"},\n]\n\n[metadata]\nlock-version = "2.0"\npython-versions = "*"\ncontent-hash = "0"\n`,
      }
      const result = await certify(scene, poetry, 'python3 -m unittest -q', { path })
      expect(ended(result)).toMatch(/^0 /)
    },
    300_000,
  )
})
