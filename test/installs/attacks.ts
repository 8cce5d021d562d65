// All attacks, in the order of their managers.

import type { Attack } from './attack.ts'
import { bunAttacks } from './bun-attacks.ts'
import { compiledAttacks } from './compiled-attacks.ts'
import { layerAttacks } from './layer-attacks.ts'
import { npmLockfileAttacks } from './npm-lockfile-attacks.ts'
import { npmPackageAttacks } from './npm-package-attacks.ts'
import { npmSettingsAttacks } from './npm-settings-attacks.ts'
import { pnpmAttacks } from './pnpm-attacks.ts'
import { pythonAttacks } from './python-attacks.ts'
import { berryAttacks, classicAttacks } from './yarn-attacks.ts'

export const attacks: readonly Attack[] = [
  ...npmSettingsAttacks,
  ...npmLockfileAttacks,
  ...npmPackageAttacks,
  ...pnpmAttacks,
  ...classicAttacks,
  ...berryAttacks,
  ...bunAttacks,
  ...pythonAttacks,
  ...compiledAttacks,
  ...layerAttacks,
]
