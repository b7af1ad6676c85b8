/** Typed tokens over Inversify: a token knows the type of what it stands for, and so do bindings made with `provide`. */
import type { BindToFluentSyntax, MapToResolvedValueInjectOptions } from 'inversify';
import { type Late, late } from '../../core/late.ts';

declare const type: unique symbol;

/**
 * Identifies a service of type `T` in the container; at run time a symbol shared by all copies of the package. TypeScript infers
 * `T` from a class reliably: typed as one too, `bind(target)` and `rebind(target)` take a `T` and nothing else.
 */
export type Token<T> = symbol & { readonly [type]?: T } & (abstract new (...values: never) => T);

/** Says what a token stands for. */
export interface Binding<T> {
  toConstantValue(value: T): void;
  /** Calls `make` whenever the part is asked for. */
  toDynamicValue(make: () => T): void;
}

/** What a module gets. */
export interface ModuleOptions {
  /** Binds a token, beside what it is bound to already. */
  readonly bind: <T>(target: Token<T>) => Binding<T>;
  /** Binds a token in place of what it was bound to. */
  readonly rebind: <T>(target: Token<T>) => Binding<T>;
  /** Replaces a part by what `wrap` makes of it, when it is first asked for. */
  readonly onActivation: <T>(target: Token<T>, wrap: (context: Pick<Container, 'get'>, part: T) => T) => void;
}

/** Gives the parts of an instance, by token. */
export interface Container {
  bind<T>(target: Token<T>): Binding<T>;
  get<T>(target: Token<T>): T;
  getAsync<T>(target: Token<T>): Promise<T>;
  getAll<T>(target: Token<T>): T[];
}

/** Where an instance has its parts, for plugins that wrap it. Shared by all copies of the package. */
export const PARTS_OF = Symbol.for('credence.parts-of');

/** A part of an instance. */
export function partOf<T>(instance: object, target: Token<T>): T {
  return (instance as { readonly [PARTS_OF]: Container['get'] })[PARTS_OF](target);
}

/** Stands for everything that is bound to a token. */
export interface AllOf<T> {
  readonly isMultiple: true;
  readonly serviceIdentifier: symbol;
  readonly [type]?: readonly T[];
}

/** Makes the token of a part, by the name that errors tell. */
export function token<T>(name: string): Token<T> {
  return Symbol.for(`credence.${name}`) as Token<T>;
}

/** Makes a part when it is needed. What `provideLate` binds can be had only so; asked for at once, it would be a promise. */
export const RESOLVE = token<<T>(target: Token<T>) => Promise<T>>('resolve');

/** As a dependency: the list of all values bound to a token, in the order of their modules. */
export function all<T>(target: Token<T>): AllOf<T> {
  return { isMultiple: true, serviceIdentifier: target };
}

/** Tokens by the names under which a factory gets their values. */
type Dependencies = Readonly<Record<string, Token<unknown> | AllOf<unknown>>>;

/** What stands for each dependency: the value bound to a token, or the list of all of them. */
export type Values<D extends Dependencies> = {
  readonly [K in keyof D]: D[K] extends AllOf<infer E> ? readonly E[] : D[K] extends Token<infer T> ? T : never;
};

/**
 * Binds a token to a singleton that `factory` makes from other tokens; nothing bound needs a decorator.
 *
 *     provide(options, TOKENS.webhookTransport, { guard: TOKENS.webhookEgressGuard }, ({ guard }) => createMyTransport(guard));
 *
 * Pass `{ bind: options.rebind }` to replace a part of Credence.
 */
export function provide<T, D extends Dependencies>(
  { bind }: Pick<ModuleOptions, 'bind'>,
  target: Token<T>,
  dependencies: D,
  factory: (values: Values<D>) => T,
): void {
  bindTo(bind, target, dependencies, factory).inSingletonScope();
}

/**
 * As `provide`, for a part whose code is loaded when it is first asked for. Those that need it ask `PARTS.resolve` for it, or are
 * bound by `provideLate` too: then they get the part itself.
 */
export function provideLate<T, D extends Dependencies>(
  { bind }: Pick<ModuleOptions, 'bind'>,
  target: Token<T>,
  dependencies: D,
  factory: (values: Values<D>) => Promise<T>,
): void {
  let made: Late<T> | undefined;
  // As a singleton of Inversify, which awaits it for whatever depends on it, it would keep a failure for good.
  bindTo(bind, target as Token<T | Promise<T>>, dependencies, (values) => {
    made ??= late(() => factory(values));
    return made();
  }).inTransientScope();
}

function bindTo<T, D extends Dependencies>(
  bind: ModuleOptions['bind'],
  target: Token<T>,
  dependencies: D,
  factory: (values: Values<D>) => T,
) {
  const names = Object.keys(dependencies);
  // Inversify injects by position.
  const make = (...injected: unknown[]): T =>
    factory(Object.fromEntries(names.map((name, at) => [name, injected[at]])) as Values<D>);
  const identifiers = Object.values(dependencies) as MapToResolvedValueInjectOptions<unknown[]>;
  const binding = bind<T>(target) as unknown as BindToFluentSyntax<T>;
  return binding.toResolvedValue<unknown[]>(make, identifiers);
}
