/** Typed tokens over Inversify: a token knows the type of what it stands for, and so do bindings made with `provide`. */
import type { ContainerModuleLoadOptions, MapToResolvedValueInjectOptions } from 'inversify';

declare const type: unique symbol;

/**
 * Identifies a service of type `T` in the container; at run time a symbol shared by all copies of the package. Inversify reads
 * the type of a binding from classes only: typed as one too, `bind(target)` and `rebind(target)` take a `T` and nothing else.
 */
export type Token<T> = symbol & { readonly [type]?: T } & (abstract new (...values: never) => T);

/** Stands for everything that is bound to a token. */
export interface AllOf<T> {
  readonly isMultiple: true;
  readonly serviceIdentifier: symbol;
  readonly [type]?: readonly T[];
}

export function token<T>(name: string): Token<T> {
  return Symbol.for(`credence.${name}`) as Token<T>;
}

/** As a dependency: the list of all values bound to a token, in the order of their modules. */
export function all<T>(target: Token<T>): AllOf<T> {
  return { isMultiple: true, serviceIdentifier: target };
}

/** Tokens by the names under which a factory gets their values. */
type Dependencies = Readonly<Record<string, Token<unknown> | AllOf<unknown>>>;

/** What stands for each dependency: the value bound to a token, or the list of all of them. */
type Values<D extends Dependencies> = {
  readonly [K in keyof D]: D[K] extends AllOf<infer E> ? readonly E[] : D[K] extends Token<infer T> ? T : never;
};

/**
 * Binds a token to a singleton that `factory` makes from other tokens; nothing bound needs a decorator.
 *
 *     provide(options, TOKENS.usage, { storage: TOKENS.storage, clock: TOKENS.clock }, ({ storage, clock }) =>
 *       createUsageMeter(storage.usage, clock),
 *     );
 *
 * Pass `{ bind: options.rebind }` to replace a part of Credence.
 */
export function provide<T, D extends Dependencies>(
  { bind }: Pick<ContainerModuleLoadOptions, 'bind'>,
  target: Token<T>,
  dependencies: D,
  factory: (values: Values<D>) => T,
): void {
  const names = Object.keys(dependencies);
  // Inversify injects by position.
  const make = (...values: unknown[]): T =>
    factory(Object.fromEntries(names.map((name, index) => [name, values[index]])) as Values<D>);
  bind<T>(target)
    .toResolvedValue<unknown[]>(make, Object.values(dependencies) as MapToResolvedValueInjectOptions<unknown[]>)
    .inSingletonScope();
}
