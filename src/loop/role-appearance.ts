/** How the agents of a loop appear in run folders and postmortems, by role. */

export type RoleAppearances = { readonly [role: string]: RoleAppearance }

export interface RoleAppearance {
  /** What its output is called in run folders; default: the role. */
  readonly label?: string
  /** Its report is the agent's report of an iteration. */
  readonly reports?: true
  /** The phase of its steps; default: `implementation`. In journals that lack it, `readPhase` derives it. */
  readonly phase?: RolePhase
  /** The role whose agent it uses, because no other one is configured. */
  readonly sharedWith?: string
}

export type RolePhase = 'implementation' | 'review'

/** Of runs that record none. */
export const defaultRoles: RoleAppearances = {
  maker: { label: 'impl', reports: true, phase: 'implementation' },
}
