// Packages that show whether they were installed.

import type { RegistryAnswer, Scene } from './attack.ts'
import { publish } from './publish.ts'

/** Its name in a layer shows that the attacker's package was installed. */
export const plantedFile = 'planted-by-the-attacker.txt'

type Answers = Readonly<Record<string, RegistryAnswer>>

/** Does nothing, successfully. */
export const fakeManager = (scene: Scene): Answers =>
  publish(scene, {
    name: 'pnpm',
    version: '9.15.99',
    manifest: { bin: { pnpm: 'pnpm.cjs' } },
    entries: [
      {
        name: 'package/pnpm.cjs',
        content:
          '#!/usr/bin/env node\nrequire("fs").mkdirSync("node_modules", { recursive: true })\n',
        mode: 0o755,
      },
    ],
  })

export const plantedPackage = (scene: Scene): Answers =>
  publish(scene, {
    name: 'planted',
    manifest: { bin: { pnpm: 'run.cjs' } },
    entries: [
      { name: `package/${plantedFile}`, content: 'x' },
      { name: 'package/run.cjs', content: '#!/usr/bin/env node\n', mode: 0o755 },
    ],
  })
