/** What a loop in code may do once the user trusts it. */

import { basename } from 'node:path'
import type { ScannedLoop } from './scan-code-loop.ts'

export const codePowers = ({ file, modules, packages }: ScannedLoop): readonly string[] => [
  `runs code: ${basename(file)}${modules.length > 1 ? ` and ${modules.length - 1} imported files` : ''}`,
  ...(packages.length === 0 ? [] : [`imports ${packages.join(', ')}`]),
  'code is not sandboxed: it has network access and your permissions',
]
