// Lockfiles, manifests and settings that are made to be misread, or to keep their reader busy.

import { type Attack, json, manifest, npmLock } from './attack.ts'
import { fakeManager, plantedPackage } from './planted.ts'

export const npmLockfileAttacks: readonly Attack[] = [
  {
    name: 'a lockfile that is a link to a file of the operator',
    manager: 'npm',
    files: (scene) => ({
      'package.json': manifest(),
      'package-lock.json': { link: `${scene.neighbor}/secret.txt` },
    }),
    ends: 'either',
    isQuick: true,
  },
  {
    name: 'a manifest that is a link to a file of the operator',
    manager: 'npm',
    files: (scene) => ({
      'package.json': { link: `${scene.neighbor}/package.json` },
      '.npmrc': { link: `${scene.neighbor}/secret.txt` },
      'package-lock.json': npmLock(),
    }),
    ends: 'either',
  },
  {
    name: 'a lockfile with the keys of prototypes',
    manager: 'npm',
    files: () => ({
      'package.json': manifest(),
      'package-lock.json':
        '{"lockfileVersion":3,"packages":{"":{"name":"t"},"__proto__":{"link":true,"resolved":"../x"},"node_modules/__proto__":{"version":"1.0.0","resolved":"file:../../x"},"constructor":{"prototype":{}}}}',
    }),
    ends: 'refused',
    isQuick: true,
  },
  {
    name: 'a lockfile nested a hundred thousand deep',
    manager: 'npm',
    files: () => ({
      'package.json': manifest(),
      'package-lock.json': `{"lockfileVersion":1,"dependencies":${'{"a":{"version":"1.0.0","dependencies":'.repeat(100_000)}{}${'}}'.repeat(100_000)}}`,
    }),
    ends: 'refused',
  },
  {
    name: 'a lockfile of a hundred megabytes',
    manager: 'npm',
    files: () => ({
      'package.json': manifest(),
      'package-lock.json': `{"lockfileVersion":3,"packages":{${'"a/b":{"version":"1.0.0"},'.repeat(4_200_000)}"":{}}}`,
    }),
    ends: 'refused',
  },
  {
    name: 'settings that keep a parser busy',
    manager: 'npm',
    files: () => ({
      'package.json': manifest(),
      'package-lock.json': npmLock(),
      '.npmrc': `a${' '.repeat(400_000)}b\nc=${' x'.repeat(100_000)}${' '.repeat(400_000)}y\nd=${'${'.repeat(400_000)}\n`,
    }),
    ends: 'installed',
  },
  {
    name: 'escape sequences in the names of packages',
    manager: 'npm',
    files: () => ({
      'package.json': manifest(),
      'package-lock.json': npmLock({
        'node_modules/\u001B]0;owned\u0007\r\nloopctl: certified': {
          version: '1.0.0',
          resolved: 'git+ssh://git@example.com/a.git\u001B[2J',
        },
      }),
    }),
    ends: 'refused',
    says: /^\P{C}*$/u,
    isQuick: true,
  },
  {
    name: 'a folder that pretends to be the manager of the layer',
    manager: 'npm',
    files: () => ({
      'package.json': manifest({ packageManager: 'pnpm@9.15.99' }),
      'pnpm-lock.yaml': "lockfileVersion: '9.0'\nimporters:\n  .: {}\n",
      '.manager/package.json': json({
        name: 'm',
        version: '1.0.0',
        dependencies: { planted: '1.0.0' },
        overrides: { pnpm: 'npm:planted@1.0.0' },
      }),
      '.manager/node_modules/.bin/pnpm': { executable: '#!/bin/sh\nexit 0\n' },
      '.downloads/package.json': '{}',
      '.store/package.json': '{}',
    }),
    answers: (scene) => ({ ...fakeManager(scene), ...plantedPackage(scene) }),
    ends: 'either',
  },
]
