/** What a project is written with, as far as its files say. */

export type StackName = 'node' | 'python' | 'rust' | 'go' | 'maven' | 'gradle'

/** Document 001's. */
export type ConditionName =
  | 'all_tests_pass'
  | 'build_succeeds'
  | 'linting_clean'
  | 'security_scan_clean'

export const conditionNames: readonly ConditionName[] = [
  'all_tests_pass',
  'build_succeeds',
  'linting_clean',
  'security_scan_clean',
]

export const isConditionName = (name: string): name is ConditionName =>
  conditionNames.some((known) => known === name)
