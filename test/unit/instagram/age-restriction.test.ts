import { describe, expect, it } from 'vitest';
import { isAgeRestriction } from '../../../adapters/instagram/age-restriction.ts';

/** Texts for people, between bars. */
const each = (texts: string) => texts.split(' | ');

describe('a ruling is about age', () => {
  it.each([
    { gating_type: 'AGE_GATED' },
    { gating_type: 'contentAgeRestricted' },
    { gating_type: 'UNDER_18' },
    { gating_type: '18_PLUS' },
    { reason: 'legal-drinking-age' },
    { title: 'Eingeschränktes Video', reason: 'Du musst älter sein.' },
    { is_age_restricted: true },
    { min_age: 18 },
    { min_age: '18' },
    { title: 'Born before 18.05.2007', minimum_age: 18 },
    { title: 'You must be 18 years old', category: 'post' },
    { title: 'You must be 18 years old', reason: 'content' },
    { title: 'Ограниченный доступ', description: 'Эта страница доступна не всем' },
  ])('by its fields: %j', (ruling) => {
    expect(isAgeRestriction({ gating_type: 1, ...ruling })).toBe(true);
  });

  it.each([
    ...each('You must be 18 or older | Since 18.05.2007 only for people of 18 or more | 13-17'),
    ...each(
      'For people of 18. Posted on 2007-05-18 | Age-gated | Adults only | This content isn’t available to minors',
    ),
    ...each('This post can only be seen by people aged 25 or older. | Contenido para mayores de edad'),
    ...each('You must be 18 years old or over in your country to see this video.'),
    ...each(
      'Du musst mindestens 18 Jahre alt sein | Vous devez avoir 18 ans ou plus | 18歳以上の方のみご覧いただけます',
    ),
    ...each(
      'يجب أن يكون عمرك ١٨ عامًا | 年龄限制 | Contenido con restricción de edad | Publication soumise à une limite d’âge',
    ),
    ...each('Эта страница предназначена для лиц старше 18 лет'),
    ...each('हमारे दिशानिर्देशों के अनुसार यह 18 वर्ष से अधिक उम्र के लोगों के लिए है'),
  ])('by a text: %s', (text) => {
    for (const place of ['title', 'description']) expect(isAgeRestriction({ [place]: text })).toBe(true);
  });

  it('by a title that says "restricted" in some language', () => {
    const titles = each(
      'Restricted Video | Eingeschränkter Beitrag | Publicação com restrições | Begränsat innehåll | Begrænset video | ' +
        'Begrenset video | Rajoitettu video | Omezené video | Korlátozott videó | Περιορισμένο βίντεο | סרטון מוגבל | ' +
        'Publicație restricționată | Video terhad',
    );
    expect(titles.filter((title) => !isAgeRestriction({ title }))).toEqual([]);
  });
});

describe('a ruling is not about age', () => {
  it.each([
    { title: 'Sensibler Inhalt', gating_type: 'SENSITIVITY' },
    { title: 'Restricted', restriction_type: 'country' },
    { title: 'Not available to 18', gating_type: 'geo_block' },
    { title: 'x', gating_type: 'page_restricted' },
    { title: 'x', reason: 'language_restriction' },
    { title: 'Message', gating_type: 'MESSAGE' },
    { title: 'Beitrag eingeschränkt', description: 'In deinem Land nicht verfügbar' },
    { title: 'x', min_age: '0' },
    { title: 'x', gating_type: 'UNDER_180' },
  ])('by its fields: %j', (ruling) => {
    expect(isAgeRestriction({ gating_type: 1, ...ruling })).toBe(false);
  });

  it.each([
    ...each('Sensitive content | Log in to see this post | This post is not available in 21 countries.'),
    ...each('Restricted in your country | Contenido restringido en tu país | Eingeschränkt in deinem Land'),
    ...each('Contenu restreint dans votre pays | お住まいの地域では制限されています'),
    ...each('Removed under section 18 of the act | Court order 18/2026 | Posted in 2018 | by page 1804'),
    ...each('Seen by 18,000 people | Seen by 18 000 people, reported by 1 018 | 18 people reported this'),
    ...each('For people who were born before 18.05.2007 | Removed on 2007-05-18. | Removed on 2018-16-17'),
    ...each('Removed on 05/18/2007 | Removed on 18/5/07 | Entfernt am 18. 5. 2007 | Entfernt am 18. Mai 2007'),
    ...each('Removed on May 18, 2007 | Removed on May 18th 2007 | Removed on 18 Nov | Eliminado el 18 de mayo de 2007'),
    ...each(
      'Удалено 18 мая 2007 г. | 2007年5月18日に削除されました | ٢٠٠٧-٠٥-١٨ | Removed at 18:30 | Try again in 18 minutes',
    ),
  ])('by a text: %s', (text) => {
    for (const place of ['title', 'description']) expect(isAgeRestriction({ [place]: text })).toBe(false);
  });
});
