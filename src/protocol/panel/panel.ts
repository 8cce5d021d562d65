/**
 * What a loop type shows on the page of a run, as data: text only, of limited size. The dashboard, the HTML report and other readers
 * draw it, so no page has to be written.
 *
 *   built-in types    `panels` of their definition makes them from the state of the run, when they are read
 *   loops in code     the result of a step with the role `panels`; the last one counts
 */

import type { Json, OpenQuestion, RunState } from '../../loop/index.ts'

/** How good or bad something is: never the only sign of it. */
export type PanelTone = 'plain' | 'good' | 'warn' | 'bad' | 'muted'

/** One part of the page of a run. */
export type Panel = PanelHead & (TablePanel | SeriesPanel | DiffPanel | MatrixPanel | TextPanel)

export interface PanelHead {
  readonly title: string
  /** A sentence or two: what this shows, and what to do next. */
  readonly text?: string
  /** What is missing because of limits, such as "1,200 cases that always passed". */
  readonly leftOut?: string
}

export interface TablePanel {
  readonly type: 'table'
  readonly columns: readonly string[]
  /** Each row has a cell for each column. */
  readonly rows: readonly (readonly PanelCell[])[]
  /** Shown as a board: one lane for each of these values of a column, which the cells of that column have. */
  readonly board?: { readonly column: number; readonly lanes: readonly string[] }
}

/** A cell of a table. */
export type PanelCell = string | number | PanelCellDetails

export interface PanelCellDetails {
  readonly text: string
  readonly tone?: PanelTone
  /** Shown on request, such as the whole text. */
  readonly hint?: string
  /** A link to an iteration of the run. */
  readonly iteration?: number
}

export interface SeriesPanel {
  readonly type: 'series'
  readonly x: string
  readonly y: string
  /** The values are shares, from 0 to 1 and shown as percent. */
  readonly isShare?: boolean
  readonly lines: readonly SeriesLine[]
  /** Horizontal lines to compare with, such as a baseline. */
  readonly marks?: readonly { readonly name: string; readonly y: number }[]
}

export interface SeriesLine {
  readonly name: string
  readonly tone?: PanelTone
  readonly points: readonly SeriesPoint[]
}

export interface SeriesPoint {
  readonly x: number
  readonly y: number
  /** The interval around it. */
  readonly low?: number
  readonly high?: number
  readonly text?: string
}

export interface DiffPanel {
  readonly type: 'diff'
  readonly changes: readonly PanelChange[]
  /** It is one answer to an open question of the run: a person picks it here. */
  readonly answer?: { readonly question: string; readonly option: string }
}

export interface PanelChange {
  readonly path: string
  readonly before: string
  readonly after: string
}

export interface MatrixPanel {
  readonly type: 'matrix'
  /** What a row is, such as "case". */
  readonly row: string
  readonly columns: readonly string[]
  /** Each has a cell for each column; null: nothing is known. */
  readonly rows: readonly MatrixRow[]
}

export interface MatrixRow {
  readonly name: string
  readonly cells: readonly (MatrixCell | null)[]
}

export interface MatrixCell {
  readonly text: string
  readonly tone: PanelTone
  /** It differs from the cell before it in its row. */
  readonly flip?: 'better' | 'worse'
}

export interface TextPanel {
  readonly type: 'text'
  readonly body: string
}

/** The role of the steps of loops in code whose result is a list of panels. */
export const panelsRole = 'panels'

/** The panels of a run. */
export interface RunPanels {
  /** What they are called together, such as "Plan". */
  readonly name: string
  readonly items: readonly Panel[]
  /** Why panels are missing: for the author of the loop. */
  readonly problems: readonly string[]
}

/** How a built-in loop type makes its panels. */
export interface PanelMaker {
  /** What the panels are called together: the name of their tab. */
  readonly name: string
  /** Roles of plain steps whose results it needs. */
  readonly roles: readonly string[]
  /** Pure. */
  make(facts: PanelFacts): readonly Panel[]
}

export interface PanelFacts {
  readonly state: RunState
  readonly questions: readonly OpenQuestion[]
  /** Of its roles, the oldest first, without those of undone iterations. At most the newest 2,000. */
  readonly results: readonly RoleResult[]
}

export interface RoleResult {
  readonly iteration: number
  readonly role: string
  readonly value: Json
}
