SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.class_event_stays() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        IF TG_OP = 'DELETE' AND (SELECT deleting FROM class WHERE code = OLD.class) THEN RETURN OLD; END IF;
        RAISE EXCEPTION 'events are never changed, and deleted only with their class';
    END $$;
CREATE FUNCTION public.event_stays() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    BEGIN
        IF TG_OP = 'DELETE' AND (SELECT deleting FROM game WHERE id = OLD.game) THEN RETURN OLD; END IF;
        RAISE EXCEPTION 'events are never changed, and deleted only with their game';
    END $$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.class (
    code text NOT NULL,
    id text NOT NULL,
    token bytea NOT NULL,
    rules text NOT NULL,
    created double precision NOT NULL,
    head integer NOT NULL,
    deleting boolean DEFAULT false NOT NULL
);
CREATE TABLE public.class_code (
    code text NOT NULL,
    until double precision NOT NULL,
    deletion bytea
);
CREATE TABLE public.class_event (
    class text NOT NULL,
    version integer NOT NULL,
    kind text NOT NULL,
    body text NOT NULL,
    key text NOT NULL,
    at double precision NOT NULL
);
CREATE TABLE public.event (
    game text NOT NULL,
    version integer NOT NULL,
    seat integer,
    kind text NOT NULL,
    body text NOT NULL,
    key text NOT NULL,
    at double precision NOT NULL,
    CONSTRAINT event_seat_check CHECK ((seat = ANY (ARRAY[0, 1])))
);
CREATE TABLE public.game (
    id text NOT NULL,
    rules text NOT NULL,
    invite bytea,
    head integer NOT NULL,
    status text NOT NULL,
    due boolean NOT NULL,
    created double precision NOT NULL,
    touched double precision NOT NULL,
    broken text,
    deleting boolean DEFAULT false NOT NULL,
    class text,
    CONSTRAINT game_status_check CHECK ((status = ANY (ARRAY['open'::text, 'playing'::text, 'over'::text, 'closed'::text])))
);
CREATE TABLE public.probe (
    at double precision NOT NULL
);
CREATE TABLE public.pupil (
    class text NOT NULL,
    number integer NOT NULL,
    seen double precision NOT NULL
);
CREATE TABLE public.seat (
    game text NOT NULL,
    seat integer NOT NULL,
    token bytea,
    name text NOT NULL,
    level integer,
    seen double precision NOT NULL,
    CONSTRAINT seat_seat_check CHECK ((seat = ANY (ARRAY[0, 1])))
);
CREATE TABLE public.version (
    number integer NOT NULL
);
INSERT INTO public.class VALUES ('BCDFG', 'Au4Ia9PWdLs_', '\xc6a0945bfafc1ef1083a47ac97f626471971a06ba6170e0103ec45093c586799', '{"mode": "pairs", "level": 2, "hints": false, "takebacks": false, "start": "book", "anonymous": false, "game": "operation-target", "options": {"target": 12}}', 1794869542.1379564, 5, false);
INSERT INTO public.class VALUES ('CDFGH', 'B7qXQC5yHFRA', '\x241cee749927dcf64e04caa4fc80707cf89e0e062321adc29b0ef813d5a7eb5b', '{"mode": "pairs", "level": 2, "hints": false, "takebacks": false, "start": "book", "anonymous": false, "game": "operation-target", "options": {"target": 12}}', 1794869542.3958323, 6, false);
INSERT INTO public.class VALUES ('HJKLM', 'QUHGDzLOP6Ok', '\x7e568a4921a4b2b173ed9e9dc2e1029c841c1d6dca8c4b512d445d0f656f13c0', '{"mode": "rounds", "level": 2, "hints": true, "takebacks": true, "start": "book", "anonymous": false, "game": "number-duel", "options": {}}', 1794869542.1847413, 6, false);
INSERT INTO public.class VALUES ('PRSTV', 'UwEv7_NWxwle', '\x6bbb352cf1efd2619b49aced5a4eeb76ebabb02c3bbeb56a3a0a384db0132738', '{"mode": "pairs", "level": 2, "hints": false, "takebacks": false, "start": "book", "anonymous": false, "game": "operation-target", "options": {"target": 12}}', 1794869542.4941447, 3, true);
INSERT INTO public.class VALUES ('NPRST', 'teT-f02EPyVp', '\xd31048a5e44c24c07fb270ccfbb87ace8098c9ec9ddbeeb86f9d5971e7893193', '{"mode": "computer", "level": 1, "hints": false, "takebacks": false, "start": "book", "anonymous": true, "game": "operation-target", "options": {"target": 12}}', 1794869542.2806041, 7, false);
INSERT INTO public.class VALUES ('VWXZB', '-rZn5IaKwi_d', '\x5a7d78b436a657374667faea3a9bd602b1db64f453dd6703e1eb79f9dc71f73e', '{"mode": "pairs", "level": 2, "hints": false, "takebacks": false, "start": "book", "anonymous": false, "game": "operation-target", "options": {"target": 12}}', 1794869542.3168433, 5, false);
INSERT INTO public.class_code VALUES ('JKLMN', 1797461542.478995, '\x672c829628f3678bbabc554bf102e192c421ed67214acf502938b70de168ee2e');
INSERT INTO public.class_event VALUES ('BCDFG', 1, 'join', '{"pupil": 1, "name": "Ann", "token": "5f7abffbeccb2c7f31ea2293c1373f34ffb01fbd8885198c6981684052c798ed"}', 'join:5f7abffbeccb2c7f31ea2293c1373f34', 1794869542.1413612);
INSERT INTO public.class_event VALUES ('BCDFG', 2, 'join', '{"pupil": 2, "name": "Bob", "token": "8533b1f5bfd84a0bb55e3fd0c7a077de94d83355303b6cbf86753f9113ed2f4b"}', 'join:8533b1f5bfd84a0bb55e3fd0c7a077de', 1794869542.1447704);
INSERT INTO public.class_event VALUES ('BCDFG', 3, 'join', '{"pupil": 3, "name": "Cem", "token": "7b75238f12be9b9aebd2ab879fd5b54eec5bb37d2fed80732237de5052a34612"}', 'join:7b75238f12be9b9aebd2ab879fd5b54e', 1794869542.1476526);
INSERT INTO public.class_event VALUES ('BCDFG', 4, 'pair', '{"round": 1, "games": [{"id": "v4iEDu7ow2VW", "pupils": [3, 1]}, {"id": "edDWpWRuX51u", "pupils": [2, null]}]}', 'second-edition-key-0069', 1794869542.152225);
INSERT INTO public.class_event VALUES ('BCDFG', 5, 'pause', '{"message": "Look at the wall."}', 'second-edition-key-0072', 1794869542.1798525);
INSERT INTO public.class_event VALUES ('HJKLM', 1, 'join', '{"pupil": 1, "name": "Ann", "token": "9fe2ed27cddc18ee17546455d29d02e1cbac11e5abffa44cdd30c5026862824e"}', 'join:9fe2ed27cddc18ee17546455d29d02e1', 1794869542.1872473);
INSERT INTO public.class_event VALUES ('HJKLM', 2, 'join', '{"pupil": 2, "name": "Bob", "token": "fc94cb60002ebaf4f3a760d2b5aca98cd9d8a71f424c35e553b4dcd7cb4b11a1"}', 'join:fc94cb60002ebaf4f3a760d2b5aca98c', 1794869542.1893978);
INSERT INTO public.class_event VALUES ('HJKLM', 3, 'join', '{"pupil": 3, "name": "Cem", "token": "2142a91d6c35eaa7fea54ad591ddfef6931f6bf60b873f137c3809c0b52b7347"}', 'join:2142a91d6c35eaa7fea54ad591ddfef6', 1794869542.191651);
INSERT INTO public.class_event VALUES ('HJKLM', 4, 'join', '{"pupil": 4, "name": "Dee", "token": "111a4c088d322aae2fc6a46a86854e2cd0a45d7840b31ea69761402fecb92b05"}', 'join:111a4c088d322aae2fc6a46a86854e2c', 1794869542.1938002);
INSERT INTO public.class_event VALUES ('HJKLM', 5, 'pair', '{"round": 1, "games": [{"id": "tu5Uz7f-j_t6", "pupils": [1, 2]}, {"id": "7s6-cpVi9nm0", "pupils": [3, 4]}]}', 'second-edition-key-0078', 1794869542.198173);
INSERT INTO public.class_event VALUES ('HJKLM', 6, 'next', '{"round": 2, "games": [{"id": "na-uJrBYNHGi", "pupils": [2, 3]}, {"id": "dNRifaH2EHuu", "pupils": [4, 1]}]}', 'second-edition-key-0082', 1794869542.244902);
INSERT INTO public.class_event VALUES ('NPRST', 1, 'join', '{"pupil": 1, "name": "Ann", "token": "f1ed193b3a4bf0aa5147ef574225e1d8d8bc4dddbf15ad7ae5e60e7464440a30"}', 'join:f1ed193b3a4bf0aa5147ef574225e1d8', 1794869542.2829437);
INSERT INTO public.class_event VALUES ('NPRST', 2, 'join', '{"pupil": 2, "name": "Bob", "token": "ae25359678a7995a0b35d5294fa07cc3d04d6da309f1ef873afa11601cb2e135"}', 'join:ae25359678a7995a0b35d5294fa07cc3', 1794869542.285055);
INSERT INTO public.class_event VALUES ('NPRST', 3, 'join', '{"pupil": 3, "name": "Cem", "token": "b0fa483031595459ae5ace88dc46ac2b6e8f5796fe0eda8b3f3d3d35428dc7eb"}', 'join:b0fa483031595459ae5ace88dc46ac2b', 1794869542.2872145);
INSERT INTO public.class_event VALUES ('NPRST', 4, 'pair', '{"round": 1, "games": [{"id": "WfDKOIDFCvgQ", "pupils": [null, 1]}, {"id": "UXAxFfTEAsOk", "pupils": [2, null]}, {"id": "r-Dn5FhzT8cL", "pupils": [null, 3]}]}', 'second-edition-key-0090', 1794869542.2918272);
INSERT INTO public.class_event VALUES ('NPRST', 5, 'remove', '{"pupil": 2}', 'second-edition-key-0091', 1794869542.3014553);
INSERT INTO public.class_event VALUES ('NPRST', 6, 'substitute', '{"pupil": 3}', 'second-edition-key-0092', 1794869542.3080711);
INSERT INTO public.class_event VALUES ('NPRST', 7, 'settings', '{"locked": true}', 'second-edition-key-0093', 1794869542.3139408);
INSERT INTO public.class_event VALUES ('VWXZB', 1, 'join', '{"pupil": 1, "name": "Ann", "token": "c464492290b44a7bdf59761004d5bb73481954ae80a0a4fe8d2b37f0db2dd29b"}', 'join:c464492290b44a7bdf59761004d5bb73', 1794869542.3193424);
INSERT INTO public.class_event VALUES ('VWXZB', 2, 'join', '{"pupil": 2, "name": "Bob", "token": "a06e83a153d1eb4499369b1e6e88c88e9214bdcc88fc7224e67d5d2ab02af157"}', 'join:a06e83a153d1eb4499369b1e6e88c88e', 1794869542.321956);
INSERT INTO public.class_event VALUES ('VWXZB', 3, 'pair', '{"round": 1, "games": [{"id": "oND5Qy-pSrhh", "pupils": [1, 2]}]}', 'second-edition-key-0097', 1794869542.325803);
INSERT INTO public.class_event VALUES ('VWXZB', 4, 'next', '{"round": 2, "games": [{"id": "1CRHgEQUVM6d", "pupils": [2, 1]}]}', 'second-edition-key-0102', 1794869542.3740551);
INSERT INTO public.class_event VALUES ('VWXZB', 5, 'end', '{}', 'second-edition-key-0104', 1794869542.3921611);
INSERT INTO public.class_event VALUES ('CDFGH', 1, 'join', '{"pupil": 1, "name": "Ann", "token": "d1103059a66292e6a246b5541725c35b2b127981394afc4c3c21d6188a13d5c9"}', 'join:d1103059a66292e6a246b5541725c35b', 1794869542.398244);
INSERT INTO public.class_event VALUES ('CDFGH', 2, 'join', '{"pupil": 2, "name": "Bob", "token": "7e97dd7353774f54b1eea32a7d65117d76980db6ecc06b5bff2e22f07956d8dd"}', 'join:7e97dd7353774f54b1eea32a7d65117d', 1794869542.4006526);
INSERT INTO public.class_event VALUES ('CDFGH', 3, 'pair', '{"round": 1, "games": [{"id": "Efd4JgKdug2j", "pupils": [1, 2]}]}', 'second-edition-key-0108', 1794869542.4048822);
INSERT INTO public.class_event VALUES ('CDFGH', 4, 'join', '{"pupil": 3, "name": "Ann 2", "token": "bd5b7e9f75c86fcc9bfece89d7109761cfe11cf8d9b39b74215982ba5a952cc8"}', 'join:bd5b7e9f75c86fcc9bfece89d7109761', 1794869542.41497);
INSERT INTO public.class_event VALUES ('CDFGH', 5, 'admit', '{"pupil": 1, "device": 3, "games": []}', 'second-edition-key-0110', 1794869542.420892);
INSERT INTO public.class_event VALUES ('CDFGH', 6, 'rename', '{"pupil": 2, "name": "Robert"}', 'second-edition-key-0111', 1794869542.428319);
INSERT INTO public.class_event VALUES ('PRSTV', 1, 'join', '{"pupil": 1, "name": "Yan", "token": "71ac5105a6963b1c616774c52ce3dcfab3271118d3cfb95303fb5145802056c3"}', 'join:71ac5105a6963b1c616774c52ce3dcfa', 1794869542.4967666);
INSERT INTO public.class_event VALUES ('PRSTV', 2, 'join', '{"pupil": 2, "name": "Zoe", "token": "0e1cf8057c110448c1c5a1d724c27407d4ec5208a1ed2f09e7fe99c77efe905a"}', 'join:0e1cf8057c110448c1c5a1d724c27407', 1794869542.4989605);
INSERT INTO public.class_event VALUES ('PRSTV', 3, 'pair', '{"round": 1, "games": [{"id": "ATEx0UOLeNMC", "pupils": [1, 2]}]}', 'second-edition-key-0120', 1794869542.503392);
INSERT INTO public.event VALUES ('H_Cpgkuq4Xak', 1, 0, 'move', '{"move": "+5"}', 'second-edition-key-0003', 1794869541.5633943);
INSERT INTO public.event VALUES ('7-B1nvSmRKLH', 1, 1, 'join', '{}', 'join:', 1794869541.5701258);
INSERT INTO public.event VALUES ('7-B1nvSmRKLH', 2, 0, 'move', '{"move": "+5"}', 'second-edition-key-0006', 1794869541.5773804);
INSERT INTO public.event VALUES ('7-B1nvSmRKLH', 3, 1, 'move', '{"move": "+10"}', 'second-edition-key-0007', 1794869541.5838814);
INSERT INTO public.event VALUES ('7-B1nvSmRKLH', 4, 0, 'move', '{"move": "+3"}', 'second-edition-key-0008', 1794869541.590192);
INSERT INTO public.event VALUES ('fwpEZ8Viu9Pa', 1, 1, 'join', '{}', 'join:', 1794869541.5953043);
INSERT INTO public.event VALUES ('fwpEZ8Viu9Pa', 2, 0, 'move', '{"move": "+5"}', 'second-edition-key-0011', 1794869541.6018083);
INSERT INTO public.event VALUES ('fwpEZ8Viu9Pa', 3, 1, 'move', '{"move": "+10"}', 'second-edition-key-0012', 1794869541.607679);
INSERT INTO public.event VALUES ('fwpEZ8Viu9Pa', 4, 0, 'move', '{"move": "x10"}', 'second-edition-key-0013', 1794869541.6130388);
INSERT INTO public.event VALUES ('IWsI0cYoheld', 1, 1, 'join', '{}', 'join:', 1794869541.6405492);
INSERT INTO public.event VALUES ('IWsI0cYoheld', 2, 0, 'move', '{"move": "+5"}', 'second-edition-key-0016', 1794869541.64909);
INSERT INTO public.event VALUES ('IWsI0cYoheld', 3, 1, 'move', '{"move": "x2"}', 'second-edition-key-0017', 1794869541.655539);
INSERT INTO public.event VALUES ('IWsI0cYoheld', 4, 0, 'move', '{"move": "reset-mine"}', 'second-edition-key-0018', 1794869541.6618528);
INSERT INTO public.event VALUES ('uaVZrJbPwB72', 1, 0, 'join', '{}', 'join:', 1794869541.6671312);
INSERT INTO public.event VALUES ('qr1-azMtbpXm', 1, 1, 'join', '{}', 'join:', 1794869541.7098224);
INSERT INTO public.event VALUES ('qr1-azMtbpXm', 2, 0, 'move', '{"move": "x2"}', 'second-edition-key-0023', 1794869541.7168255);
INSERT INTO public.event VALUES ('t6v_ink6D6Rh', 1, 1, 'join', '{}', 'join:', 1794869541.7236736);
INSERT INTO public.event VALUES ('t6v_ink6D6Rh', 2, 0, 'move', '{"move": "+5"}', 'second-edition-key-0026', 1794869541.7319028);
INSERT INTO public.event VALUES ('t6v_ink6D6Rh', 3, 1, 'move', '{"move": "+6"}', 'second-edition-key-0027', 1794869541.7400916);
INSERT INTO public.event VALUES ('t6v_ink6D6Rh', 4, 0, 'takeback', '{}', 'second-edition-key-0028', 1794869541.7459846);
INSERT INTO public.event VALUES ('_dXLaOo7pXOX', 1, 1, 'join', '{}', 'join:', 1794869541.7520928);
INSERT INTO public.event VALUES ('_dXLaOo7pXOX', 2, 0, 'move', '{"move": "+5"}', 'second-edition-key-0031', 1794869541.7636886);
INSERT INTO public.event VALUES ('_dXLaOo7pXOX', 3, 1, 'move', '{"move": "+6"}', 'second-edition-key-0032', 1794869541.7694247);
INSERT INTO public.event VALUES ('_dXLaOo7pXOX', 4, 0, 'takeback', '{}', 'second-edition-key-0033', 1794869541.77349);
INSERT INTO public.event VALUES ('_dXLaOo7pXOX', 5, 1, 'accept', '{"moves": 2}', 'second-edition-key-0034', 1794869541.7771785);
INSERT INTO public.event VALUES ('UMmpyoRUF7Pk', 1, 1, 'join', '{}', 'join:', 1794869541.7821147);
INSERT INTO public.event VALUES ('UMmpyoRUF7Pk', 2, 0, 'move', '{"move": "+5"}', 'second-edition-key-0037', 1794869541.7884984);
INSERT INTO public.event VALUES ('UMmpyoRUF7Pk', 3, 1, 'move', '{"move": "+6"}', 'second-edition-key-0038', 1794869541.7938964);
INSERT INTO public.event VALUES ('UMmpyoRUF7Pk', 4, 0, 'takeback', '{}', 'second-edition-key-0039', 1794869541.797522);
INSERT INTO public.event VALUES ('UMmpyoRUF7Pk', 5, 1, 'decline', '{}', 'second-edition-key-0040', 1794869541.8009813);
INSERT INTO public.event VALUES ('OT1NPUk8hvYD', 1, 1, 'join', '{}', 'join:', 1794869541.806933);
INSERT INTO public.event VALUES ('OT1NPUk8hvYD', 2, 0, 'move', '{"move": "+5"}', 'second-edition-key-0043', 1794869541.8127923);
INSERT INTO public.event VALUES ('OT1NPUk8hvYD', 3, 0, 'concede', '{"seat": 0}', 'second-edition-key-0044', 1794869541.8164396);
INSERT INTO public.event VALUES ('sYAeOAYZ25eN', 1, 1, 'join', '{}', 'join:', 1794869541.9117146);
INSERT INTO public.event VALUES ('sYAeOAYZ25eN', 2, 1, 'concede', '{"seat": 1}', 'second-edition-key-0047', 1794869541.916138);
INSERT INTO public.event VALUES ('sYAeOAYZ25eN', 3, 0, 'rematch', '{"game": "HLKuVngbEU3y"}', 'second-edition-key-0048', 1794869541.91975);
INSERT INTO public.event VALUES ('HLKuVngbEU3y', 1, 0, 'move', '{"move": "x2"}', 'second-edition-key-0049', 1794869541.9265563);
INSERT INTO public.event VALUES ('NveT6x5x407-', 1, 1, 'join', '{}', 'join:', 1794869541.931072);
INSERT INTO public.event VALUES ('NveT6x5x407-', 2, 0, 'move', '{"move": "+5"}', 'second-edition-key-0052', 1794869541.9363923);
INSERT INTO public.event VALUES ('NveT6x5x407-', 3, 0, 'substitute', '{"seat": 1, "level": 1}', 'second-edition-key-0053', 1794869541.9693694);
INSERT INTO public.event VALUES ('NveT6x5x407-', 4, 1, 'move', '{"move": "x9"}', 'cpu:3', 1794869541.9740045);
INSERT INTO public.event VALUES ('Ks6NysShXcXc', 1, 1, 'join', '{}', 'join:', 1794869542.0042152);
INSERT INTO public.event VALUES ('Ks6NysShXcXc', 2, 0, 'move', '{"move": "+5"}', 'second-edition-key-0056', 1794869542.0105503);
INSERT INTO public.event VALUES ('Ks6NysShXcXc', 3, 0, 'substitute', '{"seat": 1, "level": 1}', 'second-edition-key-0057', 1794869542.0327544);
INSERT INTO public.event VALUES ('Ks6NysShXcXc', 4, 1, 'move', '{"move": "+7"}', 'cpu:3', 1794869542.036017);
INSERT INTO public.event VALUES ('Ks6NysShXcXc', 5, 1, 'return', '{"seat": 1}', 'second-edition-key-0058', 1794869542.0645995);
INSERT INTO public.event VALUES ('LI1EQnmCOlYm', 1, 0, 'move', '{"move": "+5"}', 'second-edition-key-0060', 1794869542.0748105);
INSERT INTO public.event VALUES ('LI1EQnmCOlYm', 2, 1, 'move', '{"move": "x5"}', 'cpu:1', 1794869542.07869);
INSERT INTO public.event VALUES ('UDzAsvV846Lr', 1, 1, 'join', '{}', 'join:', 1794869542.1121237);
INSERT INTO public.event VALUES ('UDzAsvV846Lr', 2, 0, 'move', '{"move": "+5"}', 'second-edition-key-0064', 1794869542.1284635);
INSERT INTO public.event VALUES ('edDWpWRuX51u', 1, 0, 'move', '{"move": "+1"}', 'second-edition-key-0070', 1794869542.1685073);
INSERT INTO public.event VALUES ('v4iEDu7ow2VW', 1, 0, 'move', '{"move": "+1"}', 'second-edition-key-0071', 1794869542.1744971);
INSERT INTO public.event VALUES ('edDWpWRuX51u', 2, NULL, 'pause', '{"message": "Look at the wall."}', 'class:5:pause', 1794869542.1798525);
INSERT INTO public.event VALUES ('v4iEDu7ow2VW', 2, NULL, 'pause', '{"message": "Look at the wall."}', 'class:5:pause', 1794869542.1798525);
INSERT INTO public.event VALUES ('tu5Uz7f-j_t6', 1, 0, 'concede', '{"seat": 0}', 'second-edition-key-0079', 1794869542.2128532);
INSERT INTO public.event VALUES ('7s6-cpVi9nm0', 1, 0, 'move', '{"move": "+1"}', 'second-edition-key-0080', 1794869542.2294085);
INSERT INTO public.event VALUES ('7s6-cpVi9nm0', 2, 1, 'move', '{"move": "+1"}', 'second-edition-key-0081', 1794869542.2387786);
INSERT INTO public.event VALUES ('7s6-cpVi9nm0', 3, NULL, 'close', '{}', 'class:6:close', 1794869542.244902);
INSERT INTO public.event VALUES ('na-uJrBYNHGi', 1, 0, 'move', '{"move": "+1"}', 'second-edition-key-0083', 1794869542.2632751);
INSERT INTO public.event VALUES ('na-uJrBYNHGi', 2, 1, 'move', '{"move": "+1"}', 'second-edition-key-0084', 1794869542.2710094);
INSERT INTO public.event VALUES ('dNRifaH2EHuu', 1, 0, 'move', '{"move": "+1"}', 'second-edition-key-0085', 1794869542.2776604);
INSERT INTO public.event VALUES ('UXAxFfTEAsOk', 1, NULL, 'close', '{}', 'class:5:close', 1794869542.3014553);
INSERT INTO public.event VALUES ('r-Dn5FhzT8cL', 1, NULL, 'substitute', '{"seat": 1, "level": 1}', 'class:second-edition-key-0092', 1794869542.3086543);
INSERT INTO public.event VALUES ('oND5Qy-pSrhh', 1, 0, 'move', '{"move": "+1"}', 'second-edition-key-0098', 1794869542.3345103);
INSERT INTO public.event VALUES ('oND5Qy-pSrhh', 2, 1, 'move', '{"move": "+1"}', 'second-edition-key-0099', 1794869542.3441715);
INSERT INTO public.event VALUES ('oND5Qy-pSrhh', 3, 0, 'move', '{"move": "x2"}', 'second-edition-key-0100', 1794869542.3507614);
INSERT INTO public.event VALUES ('oND5Qy-pSrhh', 4, 1, 'move', '{"move": "x2"}', 'second-edition-key-0101', 1794869542.3616824);
INSERT INTO public.event VALUES ('1CRHgEQUVM6d', 1, 0, 'move', '{"move": "+1"}', 'second-edition-key-0103', 1794869542.3870718);
INSERT INTO public.event VALUES ('1CRHgEQUVM6d', 2, NULL, 'close', '{}', 'class:5:close', 1794869542.3921611);
INSERT INTO public.event VALUES ('Efd4JgKdug2j', 1, NULL, 'admit', '{"seat": 0, "token": "bd5b7e9f75c86fcc9bfece89d7109761cfe11cf8d9b39b74215982ba5a952cc8"}', 'class:5:admit', 1794869542.420892);
INSERT INTO public.event VALUES ('Efd4JgKdug2j', 2, NULL, 'rename', '{"seat": 1, "name": "Robert"}', 'class:6:rename', 1794869542.428319);
INSERT INTO public.event VALUES ('Efd4JgKdug2j', 3, 0, 'move', '{"move": "+1"}', 'second-edition-key-0112', 1794869542.4356785);
INSERT INTO public.event VALUES ('Efd4JgKdug2j', 4, 1, 'move', '{"move": "+1"}', 'second-edition-key-0113', 1794869542.4411736);
INSERT INTO public.event VALUES ('UDzAsvV846Lr', 3, NULL, 'close', '{}', 'close:', 1794869542.6292963);
INSERT INTO public.game VALUES ('lkwBEx_Y3LSe', '{"game": "number-duel", "options": {"target": 50, "highest": 10, "copies": 2, "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', '\x6ed744f40de31d78723a6c3c589a30957a2e37b704fecfe4443969494a4cd9a3', 0, 'open', false, 1794869541.5211859, 1794869541.5211859, NULL, false, NULL);
INSERT INTO public.game VALUES ('H_Cpgkuq4Xak', '{"game": "number-duel", "options": {"target": 50, "highest": 10, "copies": 2, "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', '\x935c056f8731ba3a3de575925c43932e01d507d4cbf0b966b7f7248cbe16ef53', 1, 'open', false, 1794869541.5361867, 1794869541.5633943, NULL, false, NULL);
INSERT INTO public.game VALUES ('7-B1nvSmRKLH', '{"game": "number-duel", "options": {"target": 50, "highest": 10, "copies": 2, "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', '\x83dbf300b4158dab0af81817c7bee08ce4e2bc24d94e4a8aa2f88d4c2307f4b0', 4, 'playing', false, 1794869541.5670235, 1794869541.590192, NULL, false, NULL);
INSERT INTO public.game VALUES ('fwpEZ8Viu9Pa', '{"game": "number-duel", "options": {"target": 50, "highest": 10, "copies": 2, "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', '\x8df26bacd002427d2c667b6a3ec2126c8ccdc55fd4bb1572e90118e98d739c29', 4, 'over', false, 1794869541.5926054, 1794869541.6130388, NULL, false, NULL);
INSERT INTO public.game VALUES ('IWsI0cYoheld', '{"game": "numerical-nexus", "options": {"target": 30, "uses": [3, 2, 1, 2, 1, 1]}, "first": 1, "position": null, "moves": []}', '\xcf51c57faf4b2246612dc461d57b2bfd05a47ca2c972b447b8c405857f1a7e17', 4, 'playing', false, 1794869541.6368003, 1794869541.6618528, NULL, false, NULL);
INSERT INTO public.game VALUES ('uaVZrJbPwB72', '{"game": "number-duel", "options": {"target": 50, "highest": 10, "copies": 2, "tie": "last-mover-loses"}, "first": 2, "position": null, "moves": ["+5"]}', '\xc0b6726ca65a905adad21bc1294c1be3910fc70d9afd06f62079d57eb9785e70', 1, 'playing', false, 1794869541.664213, 1794869541.6671312, NULL, false, NULL);
INSERT INTO public.game VALUES ('qr1-azMtbpXm', '{"game": "number-quest", "options": {"target": 50, "highest": 9, "copies": 2, "division": "floor", "invalid": "lost-turn", "tie": "last-mover-loses"}, "first": 1, "position": {"player": 1, "hands": [[5], [6]], "table": [2, 2, 2, 2, 1, 1, 2, 2, 2]}, "moves": []}', '\x55827143dcd786fe466091875563a5e7005da02a7d0370e5fe4324ffe2cdeb5a', 2, 'playing', false, 1794869541.7060642, 1794869541.7168255, NULL, false, NULL);
INSERT INTO public.game VALUES ('t6v_ink6D6Rh', '{"game": "number-duel", "options": {"target": 50, "highest": 10, "copies": 2, "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', '\xb871a614115c01bb8d5e40d4bfb5fb7f6a17601054224f2638d43b56c78bb284', 4, 'playing', false, 1794869541.71999, 1794869541.7459846, NULL, false, NULL);
INSERT INTO public.game VALUES ('_dXLaOo7pXOX', '{"game": "number-duel", "options": {"target": 50, "highest": 10, "copies": 2, "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', '\xe9cc4da45e8756f64975689ec70b449614da0229424624816d638644244c1c23', 5, 'playing', false, 1794869541.7490373, 1794869541.7771785, NULL, false, NULL);
INSERT INTO public.game VALUES ('UMmpyoRUF7Pk', '{"game": "number-duel", "options": {"target": 50, "highest": 10, "copies": 2, "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', '\x127ee2dd3b3e6070752cdc987b153682fc73bacd1651216c54a7075eaccfd48a', 5, 'playing', false, 1794869541.7793899, 1794869541.8009813, NULL, false, NULL);
INSERT INTO public.game VALUES ('OT1NPUk8hvYD', '{"game": "number-duel", "options": {"target": 50, "highest": 10, "copies": 2, "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', '\xbdd2c006dc89b34ab7438f0935067221b8b47f32d8fe41691ae8b9ca29a4219c', 3, 'over', false, 1794869541.8045187, 1794869541.8164396, NULL, false, NULL);
INSERT INTO public.game VALUES ('sYAeOAYZ25eN', '{"game": "operation-target", "options": {"target": 23, "start": 1}, "first": 1, "position": null, "moves": []}', '\xbca92e581383ee9ae8f518b4a9b94a59c078505b29207c03806a8810edd4b0f0', 3, 'over', false, 1794869541.9078133, 1794869541.91975, NULL, false, NULL);
INSERT INTO public.game VALUES ('HLKuVngbEU3y', '{"game": "operation-target", "options": {"target": 23, "start": 1}, "first": 1, "position": null, "moves": []}', NULL, 1, 'playing', false, 1794869541.91975, 1794869541.9265563, NULL, false, NULL);
INSERT INTO public.game VALUES ('NveT6x5x407-', '{"game": "number-quest", "options": {"target": 50, "highest": 9, "copies": 2, "division": "floor", "invalid": "lost-turn", "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', '\xb3f2e391416974df7951bed36daedd796b3612d501efe3494a9e7a0d7696bf59', 4, 'playing', false, 1794869541.9287229, 1794869541.9740045, NULL, false, NULL);
INSERT INTO public.game VALUES ('Ks6NysShXcXc', '{"game": "number-quest", "options": {"target": 50, "highest": 9, "copies": 2, "division": "floor", "invalid": "lost-turn", "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', '\xf4fbc17227c95692ddff96c5aef4a236892d5ccb87c986d7c90fe201323a4ae9', 5, 'playing', false, 1794869542.0010133, 1794869542.0645995, NULL, false, NULL);
INSERT INTO public.game VALUES ('LI1EQnmCOlYm', '{"game": "number-quest", "options": {"target": 50, "highest": 9, "copies": 2, "division": "floor", "invalid": "lost-turn", "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', NULL, 2, 'playing', false, 1794869542.0673666, 1794869542.07869, NULL, false, NULL);
INSERT INTO public.game VALUES ('NvItkRxMns0w', '{"game": "number-quest", "options": {"target": 50, "highest": 9, "copies": 2, "division": "floor", "invalid": "lost-turn", "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', NULL, 0, 'playing', true, 1794869542.1051807, 1794869542.1051807, NULL, false, NULL);
INSERT INTO public.game VALUES ('edDWpWRuX51u', '{"game": "operation-target", "options": {"target": 12}, "hints": false, "takebacks": false, "first": 1, "position": null, "moves": []}', NULL, 2, 'playing', true, 1794869542.152225, 1794869542.1798525, NULL, false, 'BCDFG');
INSERT INTO public.game VALUES ('v4iEDu7ow2VW', '{"game": "operation-target", "options": {"target": 12}, "hints": false, "takebacks": false, "first": 1, "position": null, "moves": []}', NULL, 2, 'playing', false, 1794869542.152225, 1794869542.1798525, NULL, false, 'BCDFG');
INSERT INTO public.game VALUES ('tu5Uz7f-j_t6', '{"game": "number-duel", "options": {}, "hints": true, "takebacks": true, "first": 1, "position": null, "moves": []}', NULL, 1, 'over', false, 1794869542.198173, 1794869542.2128532, NULL, false, 'HJKLM');
INSERT INTO public.game VALUES ('7s6-cpVi9nm0', '{"game": "number-duel", "options": {}, "hints": true, "takebacks": true, "first": 1, "position": null, "moves": []}', NULL, 3, 'closed', false, 1794869542.198173, 1794869542.244902, NULL, false, 'HJKLM');
INSERT INTO public.game VALUES ('na-uJrBYNHGi', '{"game": "number-duel", "options": {}, "hints": true, "takebacks": true, "first": 1, "position": null, "moves": []}', NULL, 2, 'playing', false, 1794869542.244902, 1794869542.2710094, NULL, false, 'HJKLM');
INSERT INTO public.game VALUES ('dNRifaH2EHuu', '{"game": "number-duel", "options": {}, "hints": true, "takebacks": true, "first": 1, "position": null, "moves": []}', NULL, 1, 'playing', false, 1794869542.244902, 1794869542.2776604, NULL, false, 'HJKLM');
INSERT INTO public.game VALUES ('WfDKOIDFCvgQ', '{"game": "operation-target", "options": {"target": 12}, "hints": false, "takebacks": false, "first": 1, "position": null, "moves": []}', NULL, 0, 'playing', true, 1794869542.2918272, 1794869542.2918272, NULL, false, 'NPRST');
INSERT INTO public.game VALUES ('UXAxFfTEAsOk', '{"game": "operation-target", "options": {"target": 12}, "hints": false, "takebacks": false, "first": 1, "position": null, "moves": []}', NULL, 1, 'closed', false, 1794869542.2918272, 1794869542.3014553, NULL, false, 'NPRST');
INSERT INTO public.game VALUES ('r-Dn5FhzT8cL', '{"game": "operation-target", "options": {"target": 12}, "hints": false, "takebacks": false, "first": 1, "position": null, "moves": []}', NULL, 1, 'playing', true, 1794869542.2918272, 1794869542.3086543, NULL, false, 'NPRST');
INSERT INTO public.game VALUES ('oND5Qy-pSrhh', '{"game": "operation-target", "options": {"target": 12}, "hints": false, "takebacks": false, "first": 1, "position": null, "moves": []}', NULL, 4, 'over', false, 1794869542.325803, 1794869542.3616824, NULL, false, 'VWXZB');
INSERT INTO public.game VALUES ('1CRHgEQUVM6d', '{"game": "operation-target", "options": {"target": 12}, "hints": false, "takebacks": false, "first": 1, "position": null, "moves": []}', NULL, 2, 'closed', false, 1794869542.3740551, 1794869542.3921611, NULL, false, 'VWXZB');
INSERT INTO public.game VALUES ('UDzAsvV846Lr', '{"game": "number-duel", "options": {"target": 50, "highest": 10, "copies": 2, "tie": "last-mover-loses"}, "first": 1, "position": null, "moves": []}', '\xb6cf89cafef2a81a1f14dfab22b63deb34336d6915bb12e2f3efc21d3a95ffc3', 3, 'closed', false, 1794869542.1083686, 1794869542.6292963, NULL, false, NULL);
INSERT INTO public.game VALUES ('Efd4JgKdug2j', '{"game": "operation-target", "options": {"target": 12}, "hints": false, "takebacks": false, "first": 1, "position": null, "moves": []}', NULL, 4, 'playing', false, 1794869542.4048822, 1794869542.4411736, NULL, false, 'CDFGH');
INSERT INTO public.game VALUES ('ATEx0UOLeNMC', '{"game": "operation-target", "options": {"target": 12}, "hints": false, "takebacks": false, "first": 1, "position": null, "moves": []}', NULL, 0, 'playing', false, 1794869542.503392, 1794869542.503392, NULL, false, 'PRSTV');
INSERT INTO public.probe VALUES (0);
INSERT INTO public.seat VALUES ('lkwBEx_Y3LSe', 0, '\x65e8a5933e0e35d7c9a9bfc2beca5aa143f322448206c6c5564752d14f79023f', 'Ann', NULL, 1794869541.5211859);
INSERT INTO public.seat VALUES ('H_Cpgkuq4Xak', 0, '\xe49daac96e8adc8b686fc16c9683a3b404366629de671e5ec57580e539958927', 'Ann', NULL, 1794869541.5361867);
INSERT INTO public.seat VALUES ('7-B1nvSmRKLH', 0, '\x53a783b8c05190986fd3fd171371590b6399a94c374daa68190962a27fd9da13', 'Ann', NULL, 1794869541.5670235);
INSERT INTO public.seat VALUES ('7-B1nvSmRKLH', 1, '\x4ee796331ade926fa3c840a0e292fb8ede3f2ec48115a71316b592fbb4d388b1', 'Bob', NULL, 1794869541.5701258);
INSERT INTO public.seat VALUES ('fwpEZ8Viu9Pa', 0, '\x7fe24863982df867a1f1b8d7f40b81354703c7d3c25778694bc3b0f10269d362', 'Ann', NULL, 1794869541.5926054);
INSERT INTO public.seat VALUES ('fwpEZ8Viu9Pa', 1, '\xfc689f264a5d7d1299b58f37f94cdb5cb8820bc7f2b3eddc56779ee89c367e9e', 'Bob', NULL, 1794869541.5953043);
INSERT INTO public.seat VALUES ('IWsI0cYoheld', 0, '\x6dbb8e83c93ac2f7681725652b8edba8d7b0d0178fdc34c8f701e8a84ad53d84', 'Ann', NULL, 1794869541.6368003);
INSERT INTO public.seat VALUES ('IWsI0cYoheld', 1, '\x1aa186a56db9515cd885a5bd51ba4835273a5ac4f91e94e1cd21ddca9b38aa11', 'Bob', NULL, 1794869541.6405492);
INSERT INTO public.seat VALUES ('uaVZrJbPwB72', 1, '\xca80dac9db0ca4fcb257f103d4865e8c44ceffe6d6fdf2c98df34bc7fa104a06', 'Ann', NULL, 1794869541.664213);
INSERT INTO public.seat VALUES ('uaVZrJbPwB72', 0, '\xca7f796a0cf6a5ef63d29ed121cd0610f9b9b60083a9ec5c80d93d90e690bfa3', 'Bob', NULL, 1794869541.6671312);
INSERT INTO public.seat VALUES ('qr1-azMtbpXm', 0, '\xed6dbe8bba2d285624e17825ad6058aae8522378f91b6501aae7e767cdb2600e', 'Ann', NULL, 1794869541.7060642);
INSERT INTO public.seat VALUES ('qr1-azMtbpXm', 1, '\xd179b688bdab5745fdd6cbd991e30d7447fc5a49fead47d4e6c7b730cc0c6567', 'Bob', NULL, 1794869541.7098224);
INSERT INTO public.seat VALUES ('t6v_ink6D6Rh', 0, '\x22d2c42f631f4026cc2264b0e03882dc59ff5ab3b94a4d9b49767ea366fe55ac', 'Ann', NULL, 1794869541.71999);
INSERT INTO public.seat VALUES ('t6v_ink6D6Rh', 1, '\x32bd5fcb882b342f40a18b535ed947f01cecfcc91dfbcdc97b492855545859dc', 'Bob', NULL, 1794869541.7236736);
INSERT INTO public.seat VALUES ('_dXLaOo7pXOX', 0, '\x6364e424bf7c45929b97e9c9b4e636003c3da6e4695a7b40c4997c36e4f063d6', 'Ann', NULL, 1794869541.7490373);
INSERT INTO public.seat VALUES ('_dXLaOo7pXOX', 1, '\x295e38c920295975ad9c202a875831227ec6811ac3155376de8efddb1fdfede4', 'Bob', NULL, 1794869541.7520928);
INSERT INTO public.seat VALUES ('UMmpyoRUF7Pk', 0, '\x442ad019d844706382cb9405e94d1a8a0c36e7df8159a8bd6431fbe9c449d34f', 'Ann', NULL, 1794869541.7793899);
INSERT INTO public.seat VALUES ('UMmpyoRUF7Pk', 1, '\x815d7ae66b4b72fa00e151d8899e2e729653fdb9c170e0ae81ae3baeb77a1d4b', 'Bob', NULL, 1794869541.7821147);
INSERT INTO public.seat VALUES ('OT1NPUk8hvYD', 0, '\xe2d8f4be50753a74d5f4b85049e893bc6dbf8c805175eb49487d399b0c01b6f9', 'Ann', NULL, 1794869541.8045187);
INSERT INTO public.seat VALUES ('OT1NPUk8hvYD', 1, '\xa99e23c1bce293bfb6b824064811f68ce0a8703fe91d332d0f95b9c503a98ec4', 'Bob', NULL, 1794869541.806933);
INSERT INTO public.seat VALUES ('sYAeOAYZ25eN', 0, '\x9f45a406adca6c52fae54e03dce34028a7a74951b5f6d0a89c208341843e9b44', 'Ann', NULL, 1794869541.9078133);
INSERT INTO public.seat VALUES ('sYAeOAYZ25eN', 1, '\xe3c3ecb86c3a27d5649273df4573f4f43233c048fef233de829aed8e5eab80dc', 'Bob', NULL, 1794869541.9117146);
INSERT INTO public.seat VALUES ('HLKuVngbEU3y', 0, '\xe3c3ecb86c3a27d5649273df4573f4f43233c048fef233de829aed8e5eab80dc', 'Bob', NULL, 1794869541.9117146);
INSERT INTO public.seat VALUES ('HLKuVngbEU3y', 1, '\x9f45a406adca6c52fae54e03dce34028a7a74951b5f6d0a89c208341843e9b44', 'Ann', NULL, 1794869541.9078133);
INSERT INTO public.seat VALUES ('NveT6x5x407-', 0, '\x8e28bbf9ab9ec1ae13bce1a7a1c0161f63ad6de3f0e1a3de69c9cf1d4a337dad', 'Ann', NULL, 1794869541.9287229);
INSERT INTO public.seat VALUES ('NveT6x5x407-', 1, '\xa2927ce76d6074d48e3c81457a4a6c6b18f6cdafb97e0646c9a65f4cbc04e709', 'Bob', NULL, 0);
INSERT INTO public.seat VALUES ('Ks6NysShXcXc', 0, '\x93cfd53f5ec2d150619c6a5d5f6e24e4494c48a8e2393db626c022d36ee14dbd', 'Ann', NULL, 1794869542.0010133);
INSERT INTO public.seat VALUES ('Ks6NysShXcXc', 1, '\x5b45678e691995d2a6968eeb005b3cbf984498eae00cc156bae5f8b6f6bf1945', 'Bob', NULL, 0);
INSERT INTO public.seat VALUES ('LI1EQnmCOlYm', 0, '\x3dc897ea647f28771c2dc5b6e76994e63bb4d187e16194685eb1431398734d66', 'Ann', NULL, 1794869542.0673666);
INSERT INTO public.seat VALUES ('LI1EQnmCOlYm', 1, NULL, 'Level 1', 1, 1794869542.0673666);
INSERT INTO public.seat VALUES ('NvItkRxMns0w', 0, NULL, 'Level 2', 2, 1794869542.1051807);
INSERT INTO public.seat VALUES ('NvItkRxMns0w', 1, '\x0b7270c1f13cc3aae65218101bc5f963570de4e2bb368294f7be6be940d62e95', 'Ann', NULL, 1794869542.1051807);
INSERT INTO public.seat VALUES ('UDzAsvV846Lr', 0, '\x29427652171860b3bdace995aaa020278c83c41faadad98907b4213aefd42e6c', 'Ann', NULL, 1794869542.1083686);
INSERT INTO public.seat VALUES ('UDzAsvV846Lr', 1, '\x01dccbcc997e84d0542d9bff53a065e4dc601c0a867960e2a051d31b8d05ebbe', 'Bob', NULL, 1794869542.1121237);
INSERT INTO public.seat VALUES ('v4iEDu7ow2VW', 0, '\x7b75238f12be9b9aebd2ab879fd5b54eec5bb37d2fed80732237de5052a34612', 'Cem', NULL, 1794869542.152225);
INSERT INTO public.seat VALUES ('v4iEDu7ow2VW', 1, '\x5f7abffbeccb2c7f31ea2293c1373f34ffb01fbd8885198c6981684052c798ed', 'Ann', NULL, 1794869542.152225);
INSERT INTO public.seat VALUES ('edDWpWRuX51u', 0, '\x8533b1f5bfd84a0bb55e3fd0c7a077de94d83355303b6cbf86753f9113ed2f4b', 'Bob', NULL, 1794869542.152225);
INSERT INTO public.seat VALUES ('edDWpWRuX51u', 1, NULL, 'Level 1', 1, 1794869542.152225);
INSERT INTO public.seat VALUES ('tu5Uz7f-j_t6', 0, '\x9fe2ed27cddc18ee17546455d29d02e1cbac11e5abffa44cdd30c5026862824e', 'Ann', NULL, 1794869542.198173);
INSERT INTO public.seat VALUES ('tu5Uz7f-j_t6', 1, '\xfc94cb60002ebaf4f3a760d2b5aca98cd9d8a71f424c35e553b4dcd7cb4b11a1', 'Bob', NULL, 1794869542.198173);
INSERT INTO public.seat VALUES ('7s6-cpVi9nm0', 0, '\x2142a91d6c35eaa7fea54ad591ddfef6931f6bf60b873f137c3809c0b52b7347', 'Cem', NULL, 1794869542.198173);
INSERT INTO public.seat VALUES ('7s6-cpVi9nm0', 1, '\x111a4c088d322aae2fc6a46a86854e2cd0a45d7840b31ea69761402fecb92b05', 'Dee', NULL, 1794869542.198173);
INSERT INTO public.seat VALUES ('na-uJrBYNHGi', 0, '\xfc94cb60002ebaf4f3a760d2b5aca98cd9d8a71f424c35e553b4dcd7cb4b11a1', 'Bob', NULL, 1794869542.244902);
INSERT INTO public.seat VALUES ('na-uJrBYNHGi', 1, '\x2142a91d6c35eaa7fea54ad591ddfef6931f6bf60b873f137c3809c0b52b7347', 'Cem', NULL, 1794869542.244902);
INSERT INTO public.seat VALUES ('dNRifaH2EHuu', 0, '\x111a4c088d322aae2fc6a46a86854e2cd0a45d7840b31ea69761402fecb92b05', 'Dee', NULL, 1794869542.244902);
INSERT INTO public.seat VALUES ('dNRifaH2EHuu', 1, '\x9fe2ed27cddc18ee17546455d29d02e1cbac11e5abffa44cdd30c5026862824e', 'Ann', NULL, 1794869542.244902);
INSERT INTO public.seat VALUES ('WfDKOIDFCvgQ', 0, NULL, 'Level 1', 1, 1794869542.2918272);
INSERT INTO public.seat VALUES ('WfDKOIDFCvgQ', 1, '\xf1ed193b3a4bf0aa5147ef574225e1d8d8bc4dddbf15ad7ae5e60e7464440a30', 'Ann', NULL, 1794869542.2918272);
INSERT INTO public.seat VALUES ('UXAxFfTEAsOk', 0, '\xae25359678a7995a0b35d5294fa07cc3d04d6da309f1ef873afa11601cb2e135', 'Bob', NULL, 1794869542.2918272);
INSERT INTO public.seat VALUES ('UXAxFfTEAsOk', 1, NULL, 'Level 1', 1, 1794869542.2918272);
INSERT INTO public.seat VALUES ('r-Dn5FhzT8cL', 0, NULL, 'Level 1', 1, 1794869542.2918272);
INSERT INTO public.seat VALUES ('r-Dn5FhzT8cL', 1, '\xb0fa483031595459ae5ace88dc46ac2b6e8f5796fe0eda8b3f3d3d35428dc7eb', 'Cem', NULL, 1794869542.2918272);
INSERT INTO public.seat VALUES ('oND5Qy-pSrhh', 0, '\xc464492290b44a7bdf59761004d5bb73481954ae80a0a4fe8d2b37f0db2dd29b', 'Ann', NULL, 1794869542.325803);
INSERT INTO public.seat VALUES ('oND5Qy-pSrhh', 1, '\xa06e83a153d1eb4499369b1e6e88c88e9214bdcc88fc7224e67d5d2ab02af157', 'Bob', NULL, 1794869542.325803);
INSERT INTO public.seat VALUES ('1CRHgEQUVM6d', 0, '\xa06e83a153d1eb4499369b1e6e88c88e9214bdcc88fc7224e67d5d2ab02af157', 'Bob', NULL, 1794869542.3740551);
INSERT INTO public.seat VALUES ('1CRHgEQUVM6d', 1, '\xc464492290b44a7bdf59761004d5bb73481954ae80a0a4fe8d2b37f0db2dd29b', 'Ann', NULL, 1794869542.3740551);
INSERT INTO public.seat VALUES ('Efd4JgKdug2j', 0, '\xd1103059a66292e6a246b5541725c35b2b127981394afc4c3c21d6188a13d5c9', 'Ann', NULL, 1794869542.4048822);
INSERT INTO public.seat VALUES ('Efd4JgKdug2j', 1, '\x7e97dd7353774f54b1eea32a7d65117d76980db6ecc06b5bff2e22f07956d8dd', 'Bob', NULL, 1794869542.4048822);
INSERT INTO public.seat VALUES ('ATEx0UOLeNMC', 0, '\x71ac5105a6963b1c616774c52ce3dcfab3271118d3cfb95303fb5145802056c3', 'Yan', NULL, 1794869542.503392);
INSERT INTO public.seat VALUES ('ATEx0UOLeNMC', 1, '\x0e1cf8057c110448c1c5a1d724c27407d4ec5208a1ed2f09e7fe99c77efe905a', 'Zoe', NULL, 1794869542.503392);
INSERT INTO public.version VALUES (1);
INSERT INTO public.version VALUES (2);
INSERT INTO public.version VALUES (3);
INSERT INTO public.version VALUES (4);
INSERT INTO public.version VALUES (5);
ALTER TABLE ONLY public.class_code
    ADD CONSTRAINT class_code_pkey PRIMARY KEY (code);
ALTER TABLE ONLY public.class_event
    ADD CONSTRAINT class_event_class_key_key UNIQUE (class, key);
ALTER TABLE ONLY public.class_event
    ADD CONSTRAINT class_event_pkey PRIMARY KEY (class, version);
ALTER TABLE ONLY public.class
    ADD CONSTRAINT class_id_key UNIQUE (id);
ALTER TABLE ONLY public.class
    ADD CONSTRAINT class_pkey PRIMARY KEY (code);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_game_key_key UNIQUE (game, key);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (game, version);
ALTER TABLE ONLY public.game
    ADD CONSTRAINT game_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.pupil
    ADD CONSTRAINT pupil_pkey PRIMARY KEY (class, number);
ALTER TABLE ONLY public.seat
    ADD CONSTRAINT seat_pkey PRIMARY KEY (game, seat);
CREATE INDEX class_created ON public.class USING btree (created);
CREATE INDEX game_broken ON public.game USING btree (id) WHERE (broken IS NOT NULL);
CREATE INDEX game_class ON public.game USING btree (class) WHERE (class IS NOT NULL);
CREATE INDEX game_due ON public.game USING btree (touched) WHERE due;
CREATE INDEX game_status ON public.game USING btree (status, touched);
CREATE TRIGGER class_event_stays BEFORE DELETE OR UPDATE ON public.class_event FOR EACH ROW EXECUTE FUNCTION public.class_event_stays();
CREATE TRIGGER event_stays BEFORE DELETE OR UPDATE ON public.event FOR EACH ROW EXECUTE FUNCTION public.event_stays();
ALTER TABLE ONLY public.class_event
    ADD CONSTRAINT class_event_class_fkey FOREIGN KEY (class) REFERENCES public.class(code);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_game_fkey FOREIGN KEY (game) REFERENCES public.game(id);
ALTER TABLE ONLY public.game
    ADD CONSTRAINT game_class_fkey FOREIGN KEY (class) REFERENCES public.class(code);
ALTER TABLE ONLY public.pupil
    ADD CONSTRAINT pupil_class_fkey FOREIGN KEY (class) REFERENCES public.class(code);
ALTER TABLE ONLY public.seat
    ADD CONSTRAINT seat_game_fkey FOREIGN KEY (game) REFERENCES public.game(id);
