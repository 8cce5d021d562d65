/** How the table `sandbox` of a loop file is written: what its commands may touch and use. */

import { z } from 'zod'
import { defined } from '../loop/index.ts'
import { exactly } from './exactly.ts'
import type { SandboxSettings } from './loop-file.ts'
import { found } from './loop-file-issues.ts'
import { duration, expects, key, keys, list, publicHost, size, whole } from './loop-file-values.ts'

const pathCharsMax = 1000

/** A path that means what it says: nothing in it is expanded. */
function path(what: string): z.ZodType<string, string> {
  const error = expects(what)
  return z
    .string({ error })
    .min(1, { error, abort: true })
    .max(pathCharsMax, { error: `it is over ${pathCharsMax} characters: make it shorter` })
    .refine((written) => !/[\p{Cc}*?]/u.test(written), {
      error: ({ input }) => `patterns are not known here, found ${found(input)}: name each one`,
    })
    .refine((written) => !written.startsWith('~'), {
      error: ({ input }) => `~ is not known here, found ${found(input)}: write the whole path`,
    })
}

/** Folders of the kernel and of services show, and let through, what the walls are there for. */
const systemFolder = /^\/+(?:$|(?:proc|sys|dev|run)(?:\/|$))/

const readOnlyPath = (): z.ZodType<string, string> =>
  path('a path, such as ../shared').refine((written) => !systemFolder.test(written), {
    error: ({ input }) =>
      `this cannot be shown inside, found ${found(input)}: name a folder of files`,
  })

const hiddenPath = (): z.ZodType<string, string> => {
  const what = 'a path in the workspace, such as .env'
  return path(what)
    .refine(
      (written) => !written.startsWith('/') && written.split('/').every((part) => part !== '..'),
      { error: expects(what) },
    )
    .refine((written) => written.split('/').some((part) => part !== '' && part !== '.'), {
      error: 'this is the workspace itself: name what is to be hidden in it',
    })
}

const limits = keys({
  memory: key(
    size('16MB').exactOptional(),
    'Memory: of all processes of a command together where there are cgroups, else of each one.',
    '4GB',
  ),
  processes: key(
    whole(16, 1_000_000).exactOptional(),
    'How many processes and threads a command may have at once.',
    1024,
  ),
  cpus: key(
    z
      .number({ error: expects('a number from 0.1 to 1024') })
      .min(0.1, { error: expects('a number from 0.1 to 1024') })
      .max(1024, { error: expects('a number from 0.1 to 1024') })
      .exactOptional(),
    'How many processors it may use at once, where there are cgroups; all of them unless told.',
    2,
  ),
  cpuTime: key(
    duration(365).exactOptional(),
    'How long one of its processes may compute. Seconds are counted.',
    '1h',
  ),
  file: key(size().exactOptional(), 'How large one file may get.', '1GB'),
  output: key(size().exactOptional(), 'How much it may print, kept or not.', '1GB'),
  tmp: key(
    size().exactOptional(),
    'How much it may put into each folder that is only in memory, such as /tmp.',
    '512MB',
  ),
  workspace: key(
    size().exactOptional(),
    'How much the files of the workspace may grow during one command.',
    '4GB',
  ),
}).transform(({ memory, cpuTime, file, output, tmp, workspace, ...rest }) => ({
  ...rest,
  ...defined({ memoryBytes: memory }),
  ...(cpuTime === undefined ? {} : { cpuSeconds: Math.ceil(cpuTime / 1000) }),
  ...defined({ fileBytes: file, outputBytes: output, tmpBytes: tmp, workspaceBytes: workspace }),
}))

export const sandboxSchema: z.ZodType<SandboxSettings> = exactly<SandboxSettings>()(
  keys({
    require: key(
      z.enum(['strong', 'basic', 'none']).exactOptional(),
      'How strong the walls must be at least. Unless told, a run that nobody watches needs strong, and one that somebody watches takes the best there is. none: no walls, though there may be some; only where somebody watches.',
      'strong',
    ),
    readOnly: key(
      list(readOnlyPath(), 'a list of paths', { max: 50 }).prefault([]),
      'Files and folders besides the workspace that can be read, relative to this file.',
      ['../shared'],
    ),
    hide: key(
      list(hiddenPath(), 'a list of paths in the workspace', { max: 200 }).prefault([]),
      'Files and folders of the workspace that are empty inside.',
      ['.env'],
    ),
    network: key(
      list(publicHost(), 'a list of hosts', { max: 100 }).prefault([]),
      'Hosts that can be reached, through a proxy: a name, or *.name for all below it, with a port unless it is 443. None unless told.',
      ['registry.npmjs.org', '*.example.com:8443'],
    ),
    limits: key(
      limits.prefault({}),
      'What one command may use. Sizes have a unit: B, KB, MB or GB, each 1024 times the one before.',
      { memory: '4GB', cpus: 2 },
    ),
  }),
)
