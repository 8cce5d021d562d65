// A package with native code: its install script is approved once, and node-gyp builds it in the
// sandbox.

import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Files } from '../installs/attack.ts'
import { hasDebian } from '../installs/debian.ts'
import { pathWith } from '../installs/managers.ts'
import { tarball } from '../installs/tarball.ts'
import { certify, ended, openScene, said, serve } from './operator-scene.ts'

const headers = join(dirname(dirname(process.execPath)), 'include', 'node', 'node_api.h')
const isHere =
  existsSync(headers) &&
  hasDebian(['build-essential', 'python3'], ['/usr/bin/cc', '/usr/bin/make', '/usr/bin/python3'])

const addon = {
  'package.json': JSON.stringify({ name: 'tiny-native', version: '1.0.0', main: 'index.js' }),
  'index.js': "module.exports = require('./build/Release/tiny.node')\n",
  'binding.gyp': JSON.stringify({ targets: [{ target_name: 'tiny', sources: ['tiny.c'] }] }),
  'tiny.c': `#include <node_api.h>
static napi_value Init(napi_env env, napi_value exports) {
  napi_value answer;
  napi_create_int32(env, 42, &answer);
  napi_set_named_property(env, exports, "answer", answer);
  return exports;
}
NAPI_MODULE(tiny, Init)
`,
}

test.skipIf(!isHere)(
  'node-gyp builds a package whose install script was approved',
  async () => {
    const scene = openScene()
    const entries = Object.entries(addon).map(([name, content]) => ({
      name: `package/${name}`,
      content,
    }))
    const bytes = tarball(entries)
    const server = await serve(scene.registry)
    writeFileSync(join(scene.registry, 'tiny-native-1.0.0.tgz'), bytes)
    const root = { name: 't', version: '1.0.0', dependencies: { 'tiny-native': '1.0.0' } }
    const locked = {
      version: '1.0.0',
      resolved: `${server.url}tiny-native-1.0.0.tgz`,
      integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
      hasInstallScript: true,
    }
    const files: Files = {
      'package.json': JSON.stringify(root),
      'package-lock.json': JSON.stringify({
        name: 't',
        version: '1.0.0',
        lockfileVersion: 3,
        requires: true,
        packages: { '': root, 'node_modules/tiny-native': locked },
      }),
    }
    const check = `node -e "process.exit(require('tiny-native').answer - 42)"`
    const operator = {
      path: pathWith('npm') ?? '',
      home: { '.npmrc': `registry=${server.url}\n` },
    }
    const asked = await certify(scene, files, check, operator)
    const [script = ''] = /script:tiny-native@1\.0\.0#[0-9a-f]{16}/.exec(said(asked)) ?? []
    expect(said(asked)).toContain(`${script} (install: node-gyp rebuild)`)
    const approved = await certify(scene, files, check, operator, ['--approve', script])
    expect(ended(approved)).toMatch(/^0 /)
  },
  300_000,
)
