/** The options of the commands that start or continue runs. */

import type { LimitOptions } from '../limit-options.ts'
import type {
  AttendedOption,
  ChangeOptions,
  LoadOptions,
  SettingOptions,
  WorktreeOptions,
} from '../run-options.ts'

export interface DetachOption {
  readonly detach?: boolean
}

export interface RunOptions
  extends LoadOptions,
    LimitOptions,
    ChangeOptions,
    AttendedOption,
    SettingOptions,
    WorktreeOptions {
  readonly name?: string
  readonly workspace?: string
  readonly dryRun?: boolean
  readonly pick?: boolean
  readonly again?: boolean
  readonly skipPreflight?: boolean
  readonly priority?: number
}

export interface ResumeOptions extends LoadOptions, AttendedOption {
  readonly from?: number
  readonly force?: boolean
  readonly keepFiles?: boolean
  readonly workspace?: string
  readonly file?: string
}

export interface ForkOptions extends LoadOptions, LimitOptions, ChangeOptions, AttendedOption {
  readonly at?: number
  readonly name?: string
  readonly workspace?: string
  readonly file?: string
}

export interface RetryOptions extends DetachOption, AttendedOption {
  readonly name?: string
  readonly trust?: boolean
}
